// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/konect_kind.hpp"
#include "datasets/read/line_words.hpp"
#include "datasets/read/memory_stream.hpp"
#include "datasets/read/snap.hpp"

namespace bfslab {

namespace {

constexpr std::string_view kComments = "#%";

// The form of the lines, as those before the second edge show it.
struct Dialect {
  char separator = '\0';
  char comment = '\0';             // of the first comment
  std::vector<std::string> names;  // of the columns, where a row says them
  std::vector<std::string> first;  // the words of the first edge's line
  SnapHeader header;

  [[nodiscard]] EdgeLineRules rules() const {
    EdgeLineRules rules;
    rules.comments = kComments;
    rules.separator = separator;
    rules.refuse_bip = true;
    return rules;
  }
  // "2 columns between commas, below a row of names (source, target), % before comments".
  [[nodiscard]] std::string text() const {
    std::string words =
        fmt::format("{} column{} between {}", first.size(), first.size() == 1 ? "" : "s",
                    separator == ','   ? "commas"
                    : separator == ';' ? "semicolons"
                    : separator == '|' ? "bars"
                                       : "blanks");
    if (!names.empty()) words += fmt::format(", below a row of names ({})", fmt::join(names, ", "));
    if (comment == '%') words += ", % before comments";
    return words;
  }
};

// As messages show a name: without quotes.
std::string bare(std::string_view word) {
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"') {
    word = word.substr(1, word.size() - 2);
  }
  return shown(word);
}

bool is_name(const std::string& word) {
  return !word.empty() &&
         (std::isalpha(static_cast<unsigned char>(word.front())) != 0 || word.front() == '_');
}

std::vector<std::string> words_of(std::string_view line, char separator) {
  std::vector<std::string> out;
  for (LineWords words(line, separator); !words.done();) out.push_back(bare(words.next_text()));
  return out;
}

bool names_an_end(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || c == ' ' || c == '.' || c == '-'; });
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kNames = {
      "source",     "src",     "sourceid", "srcid",   "from",  "fromid",      "fromnode",
      "fromnodeid", "target",  "targetid", "dst",     "dest",  "destination", "to",
      "toid",       "tonode",  "tonodeid", "id1",     "id2",   "node1",       "node2",
      "nodeid1",    "nodeid2", "vertex1",  "vertex2", "user1", "user2",       "u",
      "v",          "head",    "tail"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Refuses a row of names by which the ids may be in other columns than the first two.
void check_names(const TextLines& text, const Dialect& dialect) {
  const std::vector<std::string>& names = dialect.names;
  const std::uint64_t line = text.lines_read();
  if (dialect.first.size() != names.size()) {
    refuse_line(text, line,
                fmt::format("a row of {} names ({}) above lines of {} columns: the ids may be in "
                            "the first two columns, or behind a row's number; keep only the "
                            "columns of ids",
                            names.size(), fmt::join(names, ", "), dialect.first.size()));
  }
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names_an_end(names[k])) ends.push_back(k);
  }
  if (names.front().empty() && ends.size() < 2 && names.size() > 2) ends = {1, 2};
  if (ends.size() < 2 || ends[1] == 1) return;
  const std::size_t from = ends[0] + 1;
  const std::size_t to = ends[1] + 1;
  const std::string command = dialect.separator == '\0'
                                  ? fmt::format("awk '{{print ${}, ${}}}'", from, to)
                                  : fmt::format("cut -d'{}' -f{},{}", dialect.separator, from, to);
  refuse_line(text, line,
              fmt::format("the row of names ({}) leaves two readings: the ids are in the first two "
                          "columns, or in \"{}\" and \"{}\"; keep only the columns of ids: {}",
                          fmt::join(names, ", "), names[ends[0]], names[ends[1]], command));
}

// Returns the separator of the columns: the one behind an id, since a weight may hold commas, or
// the first one in a row of names.
char separator_of(std::string_view line) {
  constexpr std::string_view kSeparators = ",;|";
  const std::size_t id = line.find_first_not_of(" \t");
  const std::size_t after = line.find_first_not_of("0123456789", id);
  const std::size_t next = line.find_first_not_of(" \t", after);
  if (after != id && next != std::string_view::npos) {
    return kSeparators.find(line[next]) == std::string_view::npos ? '\0' : line[next];
  }
  const std::size_t found = line.find_first_of(kSeparators);
  return found == std::string_view::npos ? '\0' : line[found];
}

Dialect read_dialect(TextLines& text) {
  Dialect dialect;
  std::string_view line;
  while (text.peek_line(line)) {
    const char begin = LineWords(line).front();
    if (begin == '\0' || kComments.find(begin) != std::string_view::npos) {
      refuse_two_sets(text, text.lines_read() + 1, line);
      if (dialect.comment == '\0') dialect.comment = begin;
      dialect.header.read(line);
      text.next_line(line);
      continue;
    }
    if (dialect.names.empty()) dialect.separator = separator_of(line);
    std::vector<std::string> found = words_of(line, dialect.separator);
    const bool names = dialect.names.empty() && found.size() >= 2 && is_name(found[1]) &&
                       (is_name(found[0]) || found[0].empty());
    (names ? dialect.names : dialect.first) = std::move(found);
    if (!names) break;
    text.next_line(line);
  }
  if (!dialect.names.empty() && !dialect.first.empty()) check_names(text, dialect);
  return dialect;
}

}  // namespace

EdgeList parse_edges(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  const Dialect dialect = read_dialect(text);
  const EdgeLineRules rules = dialect.rules();
  EdgeList list = finish_snap(dialect.header, text, parse_edge_lines(text, rules, threads), "edges",
                              dialect.separator);
  list.provenance.emplace_back(
      "assumed", fmt::format("{}; one set of vertices{}", dialect.text(),
                             list.undirected ? "" : "; directed, as nothing says otherwise"));
  return list;
}

Reading read_as_edges(const FileHead& head) {
  try {
    MemoryStream bytes(head.text);
    TextLines text(bytes, "");
    const Dialect dialect = read_dialect(text);
    const EdgeLines lines = parse_edge_lines(text, dialect.rules(), 1);
    return fmt::format("an edge list ({}) of {}{} edges, the first of them \"{}\"", dialect.text(),
                       head.complete ? "" : "more than ", lines.edges,
                       fmt::join(dialect.first, " "));
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace bfslab
