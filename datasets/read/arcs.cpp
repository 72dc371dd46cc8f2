// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/arcs.hpp"

#include <fmt/format.h>

#include "datasets/build/team.hpp"
#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"

namespace bfslab {

EdgeList parse_arcs(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  EdgeLineRules rules;
  rules.comments = "#";
  rules.columns = 2;
  EdgeLines lines = parse_edge_lines(text, rules, threads);
  if (lines.largest >= kNoVertex - 1) {
    throw InputError(
        fmt::format("{}: the largest id is {}, and ids are taken as given; at most "
                    "2^32 - 3 is supported. format=snap renumbers them",
                    file, lines.largest));
  }
  check_vertices(text, lines.largest + 1, lines.edges, "format=snap renumbers the ids");
  EdgeList list = std::move(lines.list);
  if (!list.labels.empty()) {  // ids that no edge names
    const int width = team(threads);
    const std::uint64_t* const ids = list.labels.data();
    Edge* const edges = list.edges.data();
    const std::size_t count = list.edges.size();
#pragma omp parallel for schedule(static) num_threads(width)
    for (std::size_t e = 0; e < count; ++e) {
      edges[e] = {static_cast<vertex_t>(ids[edges[e].from]),
                  static_cast<vertex_t>(ids[edges[e].to])};
    }
    list.labels = {};
    list.vertex_count = static_cast<vertex_t>(lines.largest + 1);
  }
  refuse_counts_line(file, lines.first_line, rules.separator, list);
  list.provenance.emplace_back("format", "arcs");
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  if (!lines.ends_with_newline) {
    list.provenance.emplace_back("warning",
                                 "the last line has no line end: the file may be truncated");
  }
  return list;
}

}  // namespace bfslab
