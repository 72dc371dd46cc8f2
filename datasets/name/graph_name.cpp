// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/graph_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "datasets/catalog/catalog.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/name/bare_name.hpp"
#include "datasets/name/file_path.hpp"
#include "datasets/name/named_kinds.hpp"
#include "datasets/name/union_parts.hpp"
#include "datasets/read/reader.hpp"
#include "datasets/text/printable.hpp"
#include "datasets/text/spelling.hpp"

namespace bfslab {

namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw InputError(printable(fmt::format("graph \"{}\": {}", text, why)));
}

// Items between commas; with `nested`, commas within parentheses (the parts of a union) do not
// count.
std::vector<std::string_view> split(std::string_view text, bool nested) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++open;
    if (text[i] == ')' && open > 0) --open;
    if (text[i] != ',' || (nested && open > 0)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string quoted(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// The value in its canonical spelling ("016" -> "16", "5e-1" -> "0.5"), or a refusal.
std::string normalise(std::string_view text, const GraphParameter& parameter,
                      std::string_view value) {
  const auto range = [&] {
    return parameter.maximum >= 1e19
               ? std::string("0 to 2^64-1")
               : fmt::format("{} to {}", parameter.minimum, parameter.maximum);
  };
  const char* end = value.data() + value.size();
  if (parameter.kind == GraphParameter::Kind::integer) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    const auto real = static_cast<double>(number);
    if (value.empty() || error != std::errc() || stop != end || real < parameter.minimum ||
        real > parameter.maximum) {
      refuse(text, fmt::format("{} is \"{}\", expected a whole number from {}", parameter.name,
                               value, range()));
    }
    return std::to_string(number);
  }
  if (parameter.kind == GraphParameter::Kind::real) {
    double number = 0;
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (value.empty() || error != std::errc() || stop != end || !std::isfinite(number) ||
        number < parameter.minimum || number > parameter.maximum) {
      refuse(text, fmt::format("{} is \"{}\", expected a number from {}", parameter.name, value,
                               range()));
    }
    std::array<char, 32> buffer{};
    const auto last = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number + 0.0).ptr;
    return {buffer.data(), last};
  }
  const auto& choices = parameter.choices;
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    refuse(text, fmt::format("{} is \"{}\", expected one of {}{}", parameter.name, value,
                             quoted(choices), did_you_mean(value, choices)));
  }
  return std::string(value);
}

void set_build_option(BuildOptions& build, const std::string& name, const std::string& value) {
  if (name == "symmetrize") build.symmetrize = value == "true";
  if (name == "self_loops") build.drop_self_loops = value == "drop";
  if (name == "duplicates") build.deduplicate = value == "drop";
  if (name == "relabel") {
    build.relabel = value == "none"      ? Relabel::none
                    : value == "shuffle" ? Relabel::shuffle
                                         : Relabel::degree;
  }
  if (name == "relabel_seed") build.relabel_seed = std::stoull(value);
}

}  // namespace

const std::vector<GraphParameter>& build_parameters() {
  using Kind = GraphParameter::Kind;
  static const std::vector<GraphParameter> table = {
      {"symmetrize",
       Kind::choice,
       {"true", "false"},
       0,
       0,
       "true",
       "add the reverse of every edge; false keeps a directed graph"},
      {"self_loops", Kind::choice, {"drop", "keep"}, 0, 0, "drop", "what becomes of self-loops"},
      {"duplicates",
       Kind::choice,
       {"drop", "keep"},
       0,
       0,
       "drop",
       "what becomes of edges listed more than once"},
      {"relabel",
       Kind::choice,
       {"none", "shuffle", "degree"},
       0,
       0,
       "none",
       "new ids: as given, shuffled by relabel_seed, or by descending degree"},
      {"relabel_seed", Kind::integer, {}, 0, 18446744073709551615.0, "1", "chooses the shuffle"},
  };
  return table;
}

const std::vector<GraphKind>& graph_kinds() {
  static const std::vector<GraphKind> table = [] {
    std::vector<GraphKind> kinds;
    for (const Generator& generator : generators()) kinds.push_back(generator.kind);
    for (const NamedKind& kind : named_kinds()) {
      kinds.push_back({kind.name, kind.doc, true, {}, kind.form});
    }
    std::vector<std::string> formats = {"auto"};
    for (const GraphFormat& format : graph_formats()) formats.push_back(format.name);
    kinds.push_back({"file",
                     "a file by path",
                     true,
                     {{"format", GraphParameter::Kind::choice, formats, 0, 0, "auto",
                       "how the file is written; auto goes by its name and its contents"}},
                     "PATH"});
    return kinds;
  }();
  return table;
}

std::string GraphName::without_build() const {
  std::string base = canonical.substr(0, canonical.size() - build.canonical().size());
  if (base.ends_with(',')) base.pop_back();
  return base;
}

namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const GraphKind& kind : graph_kinds()) names.push_back(kind.name);
  return names;
}

const GraphKind& find_kind(std::string_view shown, const std::string& wanted) {
  const auto& kinds = graph_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const GraphKind& k) { return k.name == wanted; });
  if (kind != kinds.end()) return *kind;
  refuse(shown, fmt::format("unknown kind of graph \"{}\", expected KIND:... with one of {}{}",
                            wanted, quoted(kind_names()), did_you_mean(wanted, kind_names())));
}

// Returns whether the text begins with a kind, or is one.
bool begins_with_kind(std::string_view text) {
  const auto names = kind_names();
  return std::find(names.begin(), names.end(), text.substr(0, text.find_first_of(",:"))) !=
         names.end();
}

// The length of the path in `text`, as path_length() says.
std::size_t length_of_path(std::string_view text, std::string_view shown,
                           const std::string& folder) {
  try {
    return path_length(text, folder);
  } catch (const InputError& error) {
    refuse(shown, error.what());
  }
}

bool is_file(const std::string& folder, std::string_view path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / path, ignored);
}

// `path` is what `text` would be as the name of a file.
[[noreturn]] void refuse_bare(std::string_view text, std::string_view path,
                              const std::string& folder) {
  const std::filesystem::path place = std::filesystem::path(folder) / path;
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(std::filesystem::symlink_status(place, ignored))) {
    refuse(text, why_no_file(place.string()));
  }
  std::vector<std::string> names = bare_names();
  for (const CatalogGroup& group : catalog().groups) names.push_back(group.name);
  for (const std::string& kind : kind_names()) names.push_back(kind);
  const std::string_view name = text.substr(0, text.find(','));
  std::string hint = did_you_mean(name, names);
  if (hint.empty() && (name.find('/') != std::string_view::npos || format_by_name(name))) {
    hint = ", and there is no file of that name";
  }
  if (hint.empty()) {
    const bool plain = wrong_named_path(*find_named_kind("snap"), path).empty();
    hint = plain ? fmt::format("; a SNAP file is named \"snap:{0}\", any other \"file:{0}\"", text)
                 : fmt::format("; a file of that name is named \"file:{}\"", text);
  }
  refuse(text, fmt::format("the catalogue has no \"{}\" (bfslab list graphs), and it is no kind of "
                           "graph{}",
                           name, hint));
}

// A text that begins with a kind, in parts: "file:a.txt,format=snap".
struct KindText {
  std::string_view text;
  std::string_view shown;  // what the user wrote
  const std::string& folder;
  const GraphKind& kind;
  std::vector<std::string_view> items;  // what follows the colon, a path first
};

// Splits the text that follows the kind's colon. A path may hold commas.
std::vector<std::string_view> split_items(std::string_view text, std::string_view shown,
                                          const std::string& folder, const GraphKind& kind) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 >= text.size()) return {};
  const std::string_view rest = text.substr(colon + 1);
  if (kind.name != "file") return split(rest, kind.name == "union");
  std::vector<std::string_view> items;
  const std::size_t length = length_of_path(rest, shown, folder);
  if (length < rest.size()) items = split(rest.substr(length + 1), false);
  items.insert(items.begin(), rest.substr(0, length));
  return items;
}

// Refuses a distributor's name that is none. Distributors' names have no endings of files.
void check_named_path(const KindText& from, const NamedKind& named, const std::string& path) {
  const std::string_view rest = from.text.substr(from.text.find(':') + 1);
  const std::string_view file = rest.substr(0, length_of_path(rest, from.shown, from.folder));
  if (catalog().find_graph(fmt::format("{}:{}", from.kind.name, path)) == nullptr &&
      format_by_name(file) != nullptr && is_file(from.folder, file)) {
    refuse(from.shown,
           fmt::format("there is a file {}, whose name is \"file:{}\"; {}: is for names "
                       "of a distributor, without an ending",
                       file, rest, from.kind.name));
  }
  const std::string wrong = wrong_named_path(named, path);
  if (!wrong.empty()) refuse(from.shown, wrong);
}

// Takes the path from the first of `from.items`, and the parts of a union from the path.
void take_path(KindText& from, GraphName& name) {
  const GraphKind& kind = from.kind;
  if (from.items.empty() || from.items.front().empty()) {
    refuse(from.shown, fmt::format("expected {}:{}", kind.name, kind.form));
  }
  name.path = from.items.front();
  // "a" and "./a" are one file, whatever folder the program runs in; so are a union's parts,
  // however they are spelled.
  if (kind.name == "file") {
    const std::filesystem::path path = std::filesystem::path(from.folder) / name.path;
    name.path = std::filesystem::absolute(path).lexically_normal().string();
    // Names become JSON and rows, which are UTF-8.
    if (!is_utf8(name.path)) {
      refuse(from.shown, fmt::format("its path {} is not UTF-8; rename the file or folder",
                                     printable(name.path)));
    }
  }
  if (kind.name == "union") {
    try {
      const std::vector<GraphName> parts = parse_union(name.path);
      name.parts.assign(parts.begin(), parts.end());
      name.path = union_spelling(parts);
    } catch (const InputError& error) {
      refuse(from.shown, error.what());
    }
  }
  const NamedKind* named = find_named_kind(kind.name);
  if (named != nullptr) check_named_path(from, *named, name.path);
  from.items.erase(from.items.begin());
}

// Reads the items NAME=VALUE. Each names a parameter of the kind or of the build, once.
std::vector<std::pair<std::string, std::string>> parse_parameters(const KindText& from) {
  std::vector<std::string> known;
  for (const auto& parameter : from.kind.parameters) known.push_back(parameter.name);
  for (const auto& parameter : build_parameters()) known.push_back(parameter.name);
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string_view item : from.items) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      refuse(from.shown,
             fmt::format("found \"{}\", expected NAME=VALUE with one of {}", item, quoted(known)));
    }
    std::string key(item.substr(0, equals));
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse(from.shown, fmt::format("unknown parameter \"{}\", expected one of {}{}", key,
                                     quoted(known), did_you_mean(key, known)));
    }
    if (std::any_of(given.begin(), given.end(), [&](const auto& g) { return g.first == key; })) {
      refuse(from.shown, fmt::format("{} is given twice", key));
    }
    given.emplace_back(std::move(key), item.substr(equals + 1));
  }
  return given;
}

// Sets the parameters of the kind and of the build, given or default, and the canonical name.
void set_parameters(const KindText& from, GraphName& name) {
  const auto given = parse_parameters(from);
  const auto resolve = [&](const GraphParameter& parameter) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& g) { return g.first == parameter.name; });
    if (found != given.end()) return normalise(from.shown, parameter, found->second);
    if (parameter.default_value.empty()) {
      refuse(from.shown, fmt::format("{} is missing: {}", parameter.name, parameter.doc));
    }
    return parameter.default_value;
  };

  name.canonical = name.kind + ':' + name.path;
  const auto append = [&](const std::string& part) {
    if (name.canonical.back() != ':') name.canonical += ',';
    name.canonical += part;
  };
  for (const GraphParameter& parameter : from.kind.parameters) {
    name.values.emplace_back(parameter.name, resolve(parameter));
    if (parameter.silent && name.values.back().second == parameter.default_value) continue;
    append(name.values.back().first + '=' + name.values.back().second);
  }
  for (const GraphParameter& parameter : build_parameters()) {
    set_build_option(name.build, parameter.name, resolve(parameter));
  }
  append(name.build.canonical());
}

// `text` begins with a kind; `shown` is what the user wrote.
GraphName parse_with_kind(std::string_view text, std::string_view shown,
                          const std::string& folder) {
  const std::size_t colon = text.find(':');
  GraphName name;
  name.kind = text.substr(0, colon);
  const std::size_t comma = text.find(',');
  if (comma < colon) {
    refuse(shown, fmt::format("a colon follows the kind; did you mean \"{}:{}\"?",
                              text.substr(0, comma), text.substr(comma + 1)));
  }
  const GraphKind& kind = find_kind(shown, name.kind);
  KindText from{.text = text,
                .shown = shown,
                .folder = folder,
                .kind = kind,
                .items = split_items(text, shown, folder, kind)};
  if (kind.takes_path) take_path(from, name);
  set_parameters(from, name);
  if (const Generator* generator = find_generator(name.kind)) {
    try {
      static_cast<void>(recipe_size(*generator, name));  // parameters that do not go together
    } catch (const InputError& error) {
      refuse(shown, error.what());
    }
  }
  return name;
}

}  // namespace

GraphName GraphName::parse(std::string_view text, const std::string& folder) {
  if (begins_with_kind(text)) return parse_with_kind(text, text, folder);
  const std::string_view path = text.substr(0, length_of_path(text, text, folder));
  const bool there = is_file(folder, path);
  // No name of the catalogue has a comma or a colon.
  const bool only_a_file = path.find_first_of(",:") != std::string_view::npos;
  if (there && only_a_file) return parse_with_kind(fmt::format("file:{}", text), text, folder);
  if (text.substr(0, text.find(',')).find(':') != std::string_view::npos) {
    if (path.find('/') != std::string_view::npos) refuse_bare(text, path, folder);
    return parse_with_kind(text, text, folder);  // refuses the kind
  }
  if (text.empty()) return parse_with_kind(text, text, folder);
  std::optional<BareName> bare;
  try {
    bare = expand_bare_name(text);
  } catch (const InputError& error) {
    refuse(text, error.what());
  }
  if (there) {
    if (!bare) return parse_with_kind(fmt::format("file:{}", text), text, folder);
    refuse(text, fmt::format("there is a file of that name, and a graph of the catalogue: write "
                             "\"file:{}\" or \"{}\"",
                             text, bare->text));
  }
  if (!bare) refuse_bare(text, path, folder);
  GraphName name = parse_with_kind(bare->text, text, folder);
  name.stand_in_for = bare->stand_in_for;
  return name;
}

GraphSize predict_size(const GraphName& name) {
  const Generator* generator = find_generator(name.kind);
  if (generator == nullptr) return {};
  const RecipeSize size = recipe_size(*generator, name);
  return {size.vertices, size.tuples * (name.build.symmetrize ? 2 : 1)};
}

std::string cannot_be_made(const GraphName& name) {
  const Generator* generator = find_generator(name.kind);
  if (generator == nullptr) return {};
  try {
    static_cast<void>(generator->make(name));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::uint64_t predict_levels(const GraphName& name) {
  const Generator* generator = find_generator(name.kind);
  return generator == nullptr || !generator->levels ? 0 : generator->levels(name);
}

GraphSize published_size(const GraphName& name) {
  const CatalogEntry* entry = catalog().find_graph(name.kind + ':' + name.path);
  if (entry == nullptr) return {};
  const bool both_ways = entry->edges_are != "doubled edges" &&
                         (name.build.symmetrize || entry->edges_are == "undirected edges" ||
                          entry->edges_are == "simple edges");
  return {entry->vertices, entry->edges * (both_ways ? 2 : 1)};
}

}  // namespace bfslab
