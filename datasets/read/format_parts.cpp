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
  refuse_line(text, lines.lines,
              lines.edges < promised
                  ? fmt::format("the file ends after {} {}, its header promises {}; fetch it again",
                                lines.edges, things, promised)
                  : fmt::format("the file lists {} {}, its header promises {}", lines.edges, things,
                                promised));
}

void label_from_one(EdgeList& list, vertex_t second) {
  list.labels.resize(list.vertex_count);
  for (vertex_t v = 0; v < list.vertex_count; ++v) {
    list.labels[v] = std::uint64_t{v} + 1 - (v < second ? 0 : second);
  }
}

void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list) {
  if (lines.columns > 2) list.provenance.emplace_back("ignored", what);
  if (!lines.ends_with_newline) {
    list.provenance.emplace_back("warning",
                                 "the last line has no line end: the file may be cut off");
  }
}

}  // namespace bfslab
