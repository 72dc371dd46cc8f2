// SPDX-License-Identifier: Apache-2.0
#include "harness/check/reference.hpp"

#include <algorithm>

namespace bfslab {

namespace {

// Searches, and writes the level of each vertex into `levels` [n]. Returns the reached vertices in
// the order in which they were found.
std::vector<vertex_t> search(const CsrGraph& graph, vertex_t source, level_t depth_limit,
                             std::vector<level_t>& levels) {
  levels.assign(graph.vertex_count(), kUnreached);
  std::vector<vertex_t> queue{source};
  levels[source] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const vertex_t v = queue[next];
    if (levels[v] == depth_limit) continue;
    for (const vertex_t w : graph.neighbors(v)) {
      if (levels[w] != kUnreached) continue;
      levels[w] = levels[v] + 1;
      queue.push_back(w);
    }
  }
  return queue;
}

}  // namespace

CheckResult reference_counts(const CsrGraph& graph, vertex_t source, level_t depth_limit) {
  std::vector<level_t> levels;
  CheckResult result;
  for (const vertex_t v : search(graph, source, depth_limit, levels)) {
    ++result.reached_vertices;
    result.level_sum += levels[v];
    result.levels = std::max(result.levels, std::uint64_t{levels[v]} + 1);
    result.component_edges += graph.degree(v);
    if (!graph.input_edges().empty()) result.component_input_edges += graph.input_edges()[v];
  }
  if (graph.symmetric()) result.component_edges /= 2;
  return result;
}

std::vector<level_t> reference_levels(const CsrGraph& graph, vertex_t source, level_t depth_limit) {
  std::vector<level_t> levels;
  search(graph, source, depth_limit, levels);
  return levels;
}

}  // namespace bfslab
