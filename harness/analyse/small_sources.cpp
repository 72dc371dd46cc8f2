// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/small_sources.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bfslab {

namespace {

constexpr char kBetween = '\x1f';

std::string graph_of(const RunRow& row) { return row.graph + kBetween + row.graph_hash; }

}  // namespace

SmallSources small_sources(const std::vector<RunRow>& rows) {
  std::map<std::string, std::map<vertex_t, std::uint64_t>> reached;
  std::map<std::string, std::uint64_t> most;
  for (const RunRow& row : rows) {
    if (row.status != Status::ok || !row.source || !row.reached_vertices) continue;
    if (row.depth_limit) continue;  // reaches few vertices of any component
    const std::string graph = graph_of(row);
    reached[graph].try_emplace(*row.source, *row.reached_vertices);
    most[graph] = std::max(most[graph], *row.reached_vertices);
  }
  SmallSources small;
  for (const auto& [graph, sources] : reached) {
    for (const auto& [source, count] : sources) {
      if (count < most[graph] - count) small[graph].insert(source);
    }
  }
  return small;
}

bool is_small(const RunRow& row, const SmallSources& small) {
  if (!row.source) return false;
  const auto graph = small.find(graph_of(row));
  return graph != small.end() && graph->second.contains(*row.source);
}

std::vector<std::string> small_sources_lines(const SmallSources& small) {
  std::vector<std::string> lines;
  for (const auto& [graph, sources] : small) {
    lines.push_back(fmt::format(
        "{} source{} of {} reach{} fewer than half as many vertices as another source, and {} left "
        "out of every number",
        sources.size(), sources.size() == 1 ? "" : "s", graph.substr(0, graph.find(kBetween)),
        sources.size() == 1 ? "es" : "", sources.size() == 1 ? "is" : "are"));
  }
  return lines;
}

}  // namespace bfslab
