// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/format_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

namespace {

// The ids that the edges after the first one name.
struct IdsOfTheRest {
  std::uint64_t count = 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  bool first_is_foreign = false;  // no other edge names an id of the first one

  explicit IdsOfTheRest(const EdgeList& list) {
    std::vector<bool> seen(list.vertex_count);
    const auto add = [&](vertex_t v) {
      if (seen[v]) return;
      seen[v] = true;
      const std::uint64_t id = list.labels.empty() ? v + list.first_label : list.labels[v];
      ++count;
      least = std::min(least, id);
      largest = std::max(largest, id);
    };
    for (const Edge edge : list.edges.span().subspan(1)) {
      add(edge.from);
      add(edge.to);
    }
    const Edge first = list.edges.span().front();
    first_is_foreign = !seen[first.from] && !seen[first.to];
  }
  // Returns whether a graph of `vertices` may have these ids. They are numbered from 0 or 1, or
  // are arbitrary and absent from the first line.
  [[nodiscard]] bool fit(std::uint64_t vertices) const {
    return (vertices == count && first_is_foreign) || vertices >= largest + (least == 0 ? 1 : 0);
  }
};

}  // namespace

void refuse_counts_line(const std::string& file, std::string_view line, char separator,
                        const EdgeList& list) {
  std::vector<std::uint64_t> counts;
  std::string unread;
  for (LineWords words(line, separator); !words.done() && counts.size() < 3;) {
    const auto number = parse_number(words.next(), "", unread);
    if (!number) break;
    counts.push_back(*number);
  }
  if (counts.size() < 2 || list.edges.size() == 0) return;
  const std::uint64_t rest = list.edges.size() - 1;
  if (rest == 0) {
    if (counts[1] != 0) return;
    throw InputError(
        fmt::format("{}: could be two things: the edge \"{}\"; or the counts \"{}\" of a graph "
                    "without {}, which is not supported. If it is an edge, list it twice",
                    file, shown(line), shown(line), counts[0] == 0 ? "vertices" : "edges"));
  }
  // Each undirected edge may be listed in both directions and counted once, or the other way round.
  const auto edges_fit = [&](std::uint64_t count) {
    return count == rest || count * 2 == rest || count == rest * 2;
  };
  constexpr std::uint64_t kFew = 8;  // edges, of which a line is of this form by chance
  std::vector<std::uint64_t> vertices;
  if (edges_fit(counts[1])) vertices.push_back(counts[0]);
  if (rest > 1 && (counts[0] == rest || (rest >= kFew && edges_fit(counts[0])))) {
    vertices.push_back(counts[1]);
  }
  if (counts.size() == 3 && edges_fit(counts[2])) {
    vertices.push_back(std::max(counts[0], counts[1]));
  }
  if (vertices.empty()) return;
  const IdsOfTheRest ids(list);
  if (std::none_of(vertices.begin(), vertices.end(),
                   [&](std::uint64_t count) { return ids.fit(count); })) {
    return;
  }
  throw InputError(fmt::format(
      "{}: could be two things: {} edges, the first of them \"{}\"; or the counts \"{}\", and then "
      "{} edges. If these are counts, delete that line; if it is an edge, move it to the end of "
      "the file",
      file, rest + 1, shown(line), shown(line), rest));
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
