// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

namespace {

struct Header {
  std::string field;
  std::string symmetry;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;
};

// The words of the banner may be in either case.
std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string one_of(const TextLines& text, std::string_view word, std::string_view what,
                   std::initializer_list<std::string_view> choices) {
  std::string found = lower(word);
  if (std::find(choices.begin(), choices.end(), found) == choices.end()) {
    refuse_line(
        text, text.lines_read(),
        fmt::format("found {} \"{}\", expected {}", what, shown(word), fmt::join(choices, " or ")));
  }
  return found;
}

bool is_comment(std::string_view word) { return word.starts_with('%') || word.starts_with('#'); }

std::size_t values_of(const std::string& field) {
  if (field == "pattern") return 0;
  return field == "complex" ? 2 : 1;
}

void read_banner(TextLines& text, Header& header) {
  std::string_view line;
  LineWords words(line);
  std::string first;
  do {
    if (!text.next_line(line)) {
      throw InputError(fmt::format("{}: {}", text.file(),
                                   first.empty() ? "is empty; expected a MatrixMarket file"
                                                 : "ends before \"%%MatrixMarket ...\""));
    }
    words = LineWords(line);
    if (!words.done()) first = words.next();
    // Comments may come before the banner, but not what is meant to be one.
  } while (first.empty() ||
           (is_comment(first) && lower(first) != "%%matrixmarket" && !opens_matrix_market(line)));
  if (lower(first) != "%%matrixmarket") {
    refuse_line(text, text.lines_read(),
                fmt::format("found \"{}\", expected \"%%MatrixMarket matrix coordinate ...\"{}",
                            shown(is_comment(first) ? line : first),
                            is_comment(first) ? "; write the first word so" : ""));
  }
  one_of(text, words.next(), "object", {"matrix"});
  one_of(text, words.next(), "form", {"coordinate"});
  header.field = one_of(text, words.next(), "field", {"pattern", "real", "integer", "complex"});
  header.symmetry = one_of(text, words.next(), "symmetry",
                           {"general", "symmetric", "skew-symmetric", "hermitian"});
}

void read_sizes(TextLines& text, Header& header) {
  std::string_view line;
  while (text.next_line(line)) {
    LineWords words(line);
    if (words.done() || words.front() == '%') continue;
    header.rows = next_number(text, words, "the number of rows");
    header.columns = next_number(text, words, "the number of columns");
    header.entries = next_number(text, words, "the number of entries");
    if (!words.done()) {
      refuse_line(text, text.lines_read(),
                  fmt::format("found \"{}\" after the three counts", shown(words.next())));
    }
    if (header.rows == 0 || header.columns == 0) {
      refuse_line(text, text.lines_read(), "a matrix without rows or columns");
    }
    if (header.rows != header.columns && header.symmetry != "general") {
      refuse_line(text, text.lines_read(),
                  fmt::format("a {} matrix of {} rows and {} columns; it must be square",
                              header.symmetry, header.rows, header.columns));
    }
    return;
  }
  throw InputError(
      fmt::format("{}:{}: the file ends before its line \"ROWS COLUMNS ENTRIES\"; fetch it again",
                  text.file(), text.lines_read()));
}

}  // namespace

bool opens_matrix_market(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("%# \t"), line.size()));
  LineWords words(line);
  return lower(words.next()) == "matrixmarket" && lower(words.next()) == "matrix";
}

EdgeList parse_matrix_market(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  Header header;
  read_banner(text, header);
  read_sizes(text, header);
  const bool bipartite = header.rows != header.columns;
  EdgeLineRules rules;
  rules.comments = "%";
  rules.first_id = 1;
  rules.id_count = header.rows;
  rules.two_sets = bipartite;
  rules.second_count = bipartite ? header.columns : 0;
  rules.max_edges = header.entries;
  rules.columns = 2 + values_of(header.field);
  EdgeLines lines = parse_edge_lines(text, rules, threads, header.entries == 0);
  check_count(text, lines, header.entries, "entries");
  check_vertices(text, lines.list.vertex_count, lines.edges);
  EdgeList list = std::move(lines.list);
  if (bipartite) {
    label_two_sets(list, static_cast<vertex_t>(header.rows));
  } else {
    list.first_label = rules.first_id;
  }
  list.undirected = bipartite || header.symmetry != "general";
  list.provenance.emplace_back("format", "matrix-market");
  list.provenance.emplace_back("matrix", fmt::format("{} {}, {} x {}", header.field,
                                                     header.symmetry, header.rows, header.columns));
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  if (bipartite) {
    list.provenance.emplace_back("sets",
                                 fmt::format("{} rows, {} columns", header.rows, header.columns));
  }
  note_columns(lines, "entries' values", list);
  return list;
}

}  // namespace bfslab
