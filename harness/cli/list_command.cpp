// bfslab list engines|graphs|experiments: what there is to choose from, from the tables themselves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "datasets/cache/csr_file.hpp"
#include "datasets/graph_name.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

struct Arguments {
  std::string name;
  std::string folder = "experiments";
  std::vector<std::string> data;
  std::string cache;
  bool json = false;
};

[[noreturn]] void no_such(const std::string& what, const std::string& name,
                          const std::vector<std::string>& names) {
  const std::string nearest = nearest_spelling(name, names);
  throw InputError(fmt::format("no {} is called \"{}\"; there are {}{}", what, name,
                               fmt::join(names, ", "),
                               nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
}

// ---- engines

std::string source_of(const EngineInfo& engine) {
  if (engine.paper.empty()) return "ours";
  return engine.paper + (engine.section.empty() ? "" : " " + engine.section) +
         (engine.reimplemented ? " (reimplemented)" : "");
}

std::string values_of(const Toggle& toggle) {
  switch (toggle.kind) {
    case ToggleKind::flag:
      return "true|false";
    case ToggleKind::choice:
      return fmt::format("{}", fmt::join(toggle.choices, "|"));
    case ToggleKind::integer:
      return fmt::format("integer {:.0f}..{:.0f}", toggle.minimum, toggle.maximum);
    case ToggleKind::real:
      break;
  }
  return fmt::format("number {:g}..{:g}", toggle.minimum, toggle.maximum);
}

std::string settings_text(const ToggleSettings& settings) {
  std::string text;
  for (const auto& [toggle, value] : settings) {
    text += (text.empty() ? "" : ", ") + toggle + " = " + to_text(value);
  }
  return text;
}

std::string abilities(const EngineInfo& engine) {
  std::vector<std::string> words;
  if (engine.counts()) {
    words.emplace_back("facts of a graph, once: it traverses nothing");
    words.emplace_back(engine.can.directed ? "directed graphs too" : "symmetric graphs only");
    if (engine.can.recipe) words.emplace_back("graphs that are never built: from their recipe");
    return fmt::format("{}", fmt::join(words, ", "));
  }
  if (engine.can.levels) words.emplace_back("levels");
  if (engine.can.parents) words.emplace_back("parents");
  words.emplace_back(engine.can.directed ? "directed graphs too" : "symmetric graphs only");
  if (engine.can.needs_transpose) words.emplace_back("reads a directed graph's transpose");
  if (engine.can.gpu) words.emplace_back("GPU");
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_engine(const EngineInfo& engine) {
  fmt::print("{}  [{}]\n", engine.name, source_of(engine));
  print_table({{engine.summary}, {(engine.counts() ? "Counts: " : "Can: ") + abilities(engine)}},
              2);
  Rows rows;
  for (const Toggle& toggle : engine.toggles) {
    std::string doc = toggle.doc;
    if (!toggle.paper.empty()) doc += " [" + toggle.paper + "]";
    for (const LegalWith& legal : toggle.legal_with) {
      std::vector<std::string> values;
      for (const ToggleValue& value : legal.values) values.push_back(to_text(value));
      doc += fmt::format("; with {} = {} only", legal.toggle, fmt::join(values, " or "));
    }
    rows.push_back({toggle.name, values_of(toggle), to_text(toggle.default_value), doc});
  }
  if (!rows.empty()) rows.insert(rows.begin(), {"toggle", "values", "default", "meaning"});
  print_table(rows, 2);
  rows.clear();
  for (const ToggleGroup& group : engine.groups) {
    rows.push_back({"group " + group.name, "", group.doc});
    for (const auto& [value, settings] : group.expansions) {
      rows.push_back({"", to_text(value), settings_text(settings)});
    }
  }
  for (const Preset& preset : engine.presets) {
    rows.push_back({"preset " + preset.name, "", preset.doc});
    rows.push_back({"", "", settings_text(preset.settings)});
  }
  print_table(rows, 2);
  fmt::print("\n");
}

Json value_json(const ToggleValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

Json settings_json(const ToggleSettings& settings) {
  Json json = Json::object();
  for (const auto& [toggle, value] : settings) json[toggle] = value_json(value);
  return json;
}

Json toggle_json(const Toggle& toggle) {
  static constexpr const char* kKinds[] = {"flag", "integer", "real", "choice"};
  Json json = {{"name", toggle.name}, {"kind", kKinds[static_cast<int>(toggle.kind)]}};
  if (toggle.kind == ToggleKind::choice) json["choices"] = toggle.choices;
  if (toggle.kind == ToggleKind::integer || toggle.kind == ToggleKind::real) {
    json["minimum"] = toggle.minimum;
    json["maximum"] = toggle.maximum;
  }
  json["default"] = value_json(toggle.default_value);
  json["doc"] = toggle.doc;
  json["paper"] = toggle.paper;
  json["legal_with"] = Json::array();
  for (const LegalWith& legal : toggle.legal_with) {
    Json values = Json::array();
    for (const ToggleValue& value : legal.values) values.push_back(value_json(value));
    json["legal_with"].push_back(
        {{"toggle", legal.toggle}, {"values", values}, {"reason", legal.reason}});
  }
  return json;
}

Json engine_json(const EngineInfo& engine) {
  Json json = {{"name", engine.name},
               {"paper", engine.paper},
               {"section", engine.section},
               {"summary", engine.summary},
               {"reimplemented", engine.reimplemented}};
  json["counts"] = engine.counts();
  json["can"] = {{"levels", !engine.counts() && engine.can.levels},
                 {"parents", !engine.counts() && engine.can.parents},
                 {"directed", engine.can.directed},
                 {"needs_transpose", engine.can.needs_transpose},
                 {"streamed_frontier", engine.can.streamed_frontier},
                 {"gpu", engine.can.gpu},
                 {"recipe", engine.can.recipe}};
  for (const char* key : {"toggles", "groups", "presets"}) json[key] = Json::array();
  for (const Toggle& toggle : engine.toggles) json["toggles"].push_back(toggle_json(toggle));
  for (const ToggleGroup& group : engine.groups) {
    Json expansions = Json::array();
    for (const auto& [value, settings] : group.expansions) {
      expansions.push_back({{"value", value_json(value)}, {"sets", settings_json(settings)}});
    }
    json["groups"].push_back(
        {{"name", group.name}, {"doc", group.doc}, {"expansions", expansions}});
  }
  for (const Preset& preset : engine.presets) {
    json["presets"].push_back(
        {{"name", preset.name}, {"doc", preset.doc}, {"sets", settings_json(preset.settings)}});
  }
  return json;
}

void list_engines(const Arguments& arguments) {
  std::vector<const EngineInfo*> chosen;
  std::vector<std::string> names;
  for (const EngineInfo* engine : engines()) {
    names.push_back(engine->name);
    if (arguments.name.empty() || arguments.name == engine->name) chosen.push_back(engine);
  }
  if (chosen.empty() && !arguments.name.empty()) no_such("engine", arguments.name, names);
  if (!arguments.json) {
    for (const EngineInfo* engine : chosen) print_engine(*engine);
    return;
  }
  Json json = Json::array();
  for (const EngineInfo* engine : chosen) json.push_back(engine_json(*engine));
  fmt::print("{}\n", json.dump(2));
}

// ---- graphs

std::string values_of(const GraphParameter& parameter) {
  switch (parameter.kind) {
    case GraphParameter::Kind::choice:
      return fmt::format("{}", fmt::join(parameter.choices, "|"));
    case GraphParameter::Kind::integer:
      return parameter.maximum >= 1e15
                 ? fmt::format("integer {:.0f}..", parameter.minimum)
                 : fmt::format("integer {:.0f}..{:.0f}", parameter.minimum, parameter.maximum);
    case GraphParameter::Kind::real:
      break;
  }
  return fmt::format("number {:g}..{:g}", parameter.minimum, parameter.maximum);
}

Rows parameter_rows(const std::vector<GraphParameter>& parameters) {
  Rows rows;
  for (const GraphParameter& parameter : parameters) {
    rows.push_back({parameter.name, values_of(parameter),
                    parameter.default_value.empty() ? "required" : parameter.default_value,
                    parameter.doc});
  }
  return rows;
}

Json parameters_json(const std::vector<GraphParameter>& parameters) {
  static constexpr const char* kKinds[] = {"integer", "real", "choice"};
  Json list = Json::array();
  for (const GraphParameter& parameter : parameters) {
    Json json = {{"name", parameter.name}, {"kind", kKinds[static_cast<int>(parameter.kind)]}};
    if (parameter.kind == GraphParameter::Kind::choice) {
      json["choices"] = parameter.choices;
    } else {
      json["minimum"] = parameter.minimum;
      json["maximum"] = parameter.maximum;
    }
    if (!parameter.default_value.empty()) json["default"] = parameter.default_value;
    json["doc"] = parameter.doc;
    list.push_back(json);
  }
  return list;
}

struct NamedFile {
  std::string name;  // as in snap:NAME
  std::string path;
};

// Files that snap:NAME would find: the first folder that holds a name wins.
std::vector<NamedFile> named_files(const std::vector<std::string>& folders) {
  std::vector<NamedFile> files;
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    for (const char* inner : {"", "snap.stanford.edu/data"}) {
      std::error_code ignored;
      std::vector<NamedFile> found;
      for (const auto& entry : fs::directory_iterator(fs::path(folder) / inner, ignored)) {
        std::string name = entry.path().filename();
        for (const char* ending : {".gz", ".txt"}) {
          if (name.ends_with(ending)) name.resize(name.size() - std::string(ending).size());
        }
        const std::string file = entry.path().filename();
        if (file != name + ".txt" && file != name + ".txt.gz") continue;
        found.push_back({name, entry.path().string()});
      }
      std::sort(found.begin(), found.end(),
                [](const NamedFile& a, const NamedFile& b) { return a.path < b.path; });
      for (NamedFile& file : found) {
        if (seen.insert(file.name).second) files.push_back(std::move(file));
      }
    }
  }
  return files;
}

struct BuiltGraph {
  std::string name;  // canonical; the file's own name where it is not opened
  std::string path;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  double mebibytes = 0;
};

// Opening a file verifies its checksum, so only files that are read at once are opened.
constexpr double kOpenedMebibytes = 256;

std::vector<BuiltGraph> built_graphs(const std::string& cache) {
  std::vector<BuiltGraph> graphs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(cache) / "csr", ignored)) {
    if (entry.path().extension() != kCsrEnding) continue;
    BuiltGraph built{entry.path().filename(), entry.path().string()};
    built.mebibytes = static_cast<double>(entry.file_size(ignored)) / 1048576;
    try {
      if (built.mebibytes <= kOpenedMebibytes) {
        const CsrGraph graph = read_csr_file(built.path, /*huge_pages=*/false, 1).graph;
        built.name = graph.identity().name;
        built.vertices = graph.vertex_count();
        built.edges = graph.edge_count();
      }
    } catch (const std::exception& error) {
      built.name += std::string(" (unreadable: ") + error.what() + ")";
    }
    graphs.push_back(std::move(built));
  }
  std::sort(graphs.begin(), graphs.end(),
            [](const BuiltGraph& a, const BuiltGraph& b) { return a.name < b.name; });
  return graphs;
}

void list_graphs(const Arguments& arguments) {
  std::vector<const GraphKind*> kinds;
  std::vector<std::string> names;
  for (const GraphKind& kind : graph_kinds()) {
    names.push_back(kind.name);
    if (arguments.name.empty() || arguments.name == kind.name) kinds.push_back(&kind);
  }
  if (kinds.empty()) no_such("kind of graph", arguments.name, names);
  const std::string cache = cache_folder(arguments.cache);
  const std::vector<std::string> folders = data_folders(arguments.data, cache);
  const std::vector<NamedFile> files = named_files(folders);
  const std::vector<BuiltGraph> built = built_graphs(cache);
  if (arguments.json) {
    Json json = {{"kinds", Json::array()},
                 {"build_parameters", parameters_json(build_parameters())},
                 {"files", Json::array()},
                 {"built", Json::array()}};
    for (const GraphKind* kind : kinds) {
      json["kinds"].push_back({{"name", kind->name},
                               {"doc", kind->doc},
                               {"takes_path", kind->takes_path},
                               {"parameters", parameters_json(kind->parameters)}});
    }
    for (const NamedFile& file : files) {
      json["files"].push_back({{"name", "snap:" + file.name}, {"path", file.path}});
    }
    for (const BuiltGraph& graph : built) {
      json["built"].push_back({{"name", graph.name},
                               {"path", graph.path},
                               {"vertices", graph.vertices},
                               {"edges", graph.edges}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const GraphKind* kind : kinds) {
    fmt::print("{}:{}\n", kind->name, kind->form);
    print_table({{kind->doc}}, 2);
    print_table(parameter_rows(kind->parameters), 4);
  }
  fmt::print("\nAfter any of them, separated by commas:\n");
  print_table(parameter_rows(build_parameters()), 4);
  if (!arguments.name.empty()) return;
  fmt::print("\nNamed files in {}:\n", fmt::join(folders, ", "));
  Rows rows;
  for (const NamedFile& file : files) rows.push_back({"snap:" + file.name, file.path});
  if (rows.empty()) rows.push_back({"none", "add a folder with --data or BFSLAB_DATA"});
  print_table(rows, 2);
  fmt::print("\nBuilt graphs in {}/csr:\n", cache);
  rows.clear();
  for (const BuiltGraph& graph : built) {
    rows.push_back({fmt::format("{:.1f} MiB", graph.mebibytes),
                    graph.vertices == 0 ? "" : fmt::format("{} vertices", graph.vertices),
                    graph.vertices == 0 ? "" : fmt::format("{} edges", graph.edges), graph.name});
  }
  if (rows.empty()) rows.push_back({"none"});
  print_table(rows, 2);
}

// ---- experiments

std::string text_of(const Json& spec, const char* key) {
  const auto found = spec.find(key);
  return found != spec.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void list_experiments(const Arguments& arguments) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(arguments.folder, error)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.filename() != "spec.schema.json") paths.push_back(path);
  }
  if (error) {
    throw InputError(fmt::format("{}: {}; name the folder of specs with --dir", arguments.folder,
                                 error.message()));
  }
  std::sort(paths.begin(), paths.end());
  Json list = Json::array();
  std::vector<std::string> names;
  for (const fs::path& path : paths) {
    std::ifstream file(path);
    const Json spec = Json::parse(file, nullptr, false);
    if (!spec.is_object() || !spec.contains("graphs")) continue;  // some other JSON
    names.push_back(text_of(spec, "name"));
    if (!arguments.name.empty() && arguments.name != names.back()) continue;
    list.push_back({{"name", names.back()},
                    {"paper", text_of(spec, "paper")},
                    {"item", text_of(spec, "item")},
                    {"title", text_of(spec, "title")},
                    {"file", path.string()}});
  }
  if (list.empty() && !arguments.name.empty()) no_such("experiment", arguments.name, names);
  if (arguments.json) {
    fmt::print("{}\n", list.dump(2));
    return;
  }
  Rows rows;
  for (const Json& spec : list) {
    std::string reproduces = text_of(spec, "paper");
    if (!text_of(spec, "item").empty()) {
      reproduces += (reproduces.empty() ? "" : ", ") + text_of(spec, "item");
    }
    rows.push_back({text_of(spec, "file"), reproduces, text_of(spec, "title")});
  }
  print_table(rows, 0);
}

}  // namespace

void add_list_command(CLI::App& app, int& /*exit_code*/) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* list = app.add_subcommand("list", "Engines, graphs and experiments to choose from");
  list->require_subcommand(1);
  list->footer(
      "Examples:\n"
      "  bfslab list engines            every engine and counter with its toggles\n"
      "  bfslab list engines hybrid     one of them\n"
      "  bfslab list graphs --data DIR  kinds of graphs, their parameters, files at hand\n"
      "  bfslab list experiments        the specs under experiments/");
  const auto add = [&](const char* name, const char* doc, void (*action)(const Arguments&)) {
    CLI::App* what = list->add_subcommand(name, doc);
    what->add_option("name", arguments->name, "Only this one");
    what->add_flag("--json", arguments->json, "As JSON");
    what->callback([arguments, action] { action(*arguments); });
    return what;
  };
  add("engines", "Engines and counters: papers, toggles, groups, presets", list_engines)
      ->footer("Example: bfslab list engines hybrid --json");
  CLI::App* graphs =
      add("graphs", "Kinds of graphs, their parameters, and files at hand", list_graphs);
  graphs->add_option("--data", arguments->data, "Folder of data files (repeatable)")
      ->allow_extra_args(false);
  graphs->add_option("--cache", arguments->cache, "Folder of built graphs");
  graphs->footer("Example: bfslab list graphs kronecker");
  CLI::App* experiments = add("experiments", "Specs, and what each reproduces", list_experiments);
  experiments->add_option("--dir", arguments->folder, "Folder of specs")->capture_default_str();
  experiments->footer("Example: bfslab list experiments --dir experiments/cs406");
}

}  // namespace bfslab
