// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/format_parts.hpp"

#include <fmt/format.h>

namespace bfslab {

std::uint64_t next_number(const TextLines& text, LineWords& words, std::string_view expected) {
  std::string reason;
  const auto number = parse_number(words.next(), expected, reason);
  if (!number) refuse_line(text, text.lines_read(), reason);
  return *number;
}

void check_count(const TextLines& text, const EdgeLines& lines, std::uint64_t promised,
                 std::string_view things) {
  if (lines.edges == promised) return;
  refuse_line(
      text, lines.lines,
      lines.edges < promised
          ? fmt::format("the file ends after {} {}, but its header announces {}; fetch it again",
                        lines.edges, things, promised)
          : fmt::format("the file lists {}{} {}, but its header announces {}",
                        text.at_end() ? "" : "at least ", lines.edges, things, promised));
}

void check_vertices(const TextLines& text, std::uint64_t vertices, std::uint64_t edge_lines,
                    std::string_view way_out) {
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 22;
  constexpr std::uint64_t kALine = 256;
  if (vertices <= kAlways + kALine * edge_lines) return;
  throw InputError(fmt::format(
      "{}: {} vertices for {} edge line{}; more than 2^22 plus {} per line are taken for "
      "damage. Fetch it again, or {}",
      text.file(), vertices, edge_lines, edge_lines == 1 ? "" : "s", kALine, way_out));
}

void label_two_sets(EdgeList& list, vertex_t second) {
  list.labels.resize(list.vertex_count);
  for (vertex_t v = 0; v < list.vertex_count; ++v) {
    list.labels[v] = std::uint64_t{v} + 1 - (v < second ? 0 : second);
  }
}

void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list) {
  if (lines.columns > 2) list.provenance.emplace_back("ignored", what);
  if (!lines.ends_with_newline) {
    list.provenance.emplace_back("warning",
                                 "the last line has no line end: the file may be truncated");
  }
}

}  // namespace bfslab
