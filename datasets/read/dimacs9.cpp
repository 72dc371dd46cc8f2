// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/dimacs9.hpp"

#include <fmt/format.h>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

namespace {

struct Header {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
};

Header read_header(TextLines& text) {
  std::string_view line;
  while (text.next_line(line)) {
    LineWords words(line);
    const std::string_view lead = words.next();
    if (lead.empty() || lead == "c") continue;
    if (lead != "p" || words.next() != "sp") {
      refuse_line(text, text.lines_read(),
                  fmt::format("found \"{}\", expected \"p sp VERTICES ARCS\" before the first arc",
                              shown(line.substr(0, line.find_last_not_of(" \t\r") + 1))));
    }
    Header header;
    header.vertices = next_number(text, words, "the number of vertices");
    header.arcs = next_number(text, words, "the number of arcs");
    if (!words.done()) {
      refuse_line(text, text.lines_read(),
                  fmt::format("found \"{}\" after the two counts", shown(words.next())));
    }
    if (header.vertices == 0) refuse_line(text, text.lines_read(), "a graph without vertices");
    return header;
  }
  throw InputError(
      fmt::format("{}: holds no line \"p sp VERTICES ARCS\"; is it empty?", text.file()));
}

}  // namespace

EdgeList parse_dimacs9(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  const Header header = read_header(text);
  EdgeLineRules rules;
  rules.lead = "a";
  rules.skipped = "c";
  rules.first_id = 1;
  rules.id_count = header.vertices;
  rules.columns = 3;
  rules.max_edges = header.arcs;
  EdgeLines lines = parse_edge_lines(text, rules, threads, header.arcs == 0);
  check_count(text, lines, header.arcs, "arcs");
  check_vertices(text, lines.list.vertex_count, lines.edges);
  EdgeList list = std::move(lines.list);
  list.first_label = rules.first_id;
  list.provenance.emplace_back("format", "dimacs9");
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  note_columns(lines, "arc lengths", list);
  return list;
}

}  // namespace bfslab
