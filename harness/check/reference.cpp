// SPDX-License-Identifier: Apache-2.0
#include "harness/check/reference.hpp"

#include <algorithm>
#include <vector>

namespace bfslab {

CheckResult reference_counts(const CsrGraph& graph, vertex_t source, level_t depth_limit) {
  std::vector<level_t> levels(graph.vertex_count(), kUnreached);
  std::vector<vertex_t> queue{source};
  levels[source] = 0;
  CheckResult result;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const vertex_t v = queue[next];
    ++result.reached_vertices;
    result.level_sum += levels[v];
    result.levels = std::max(result.levels, std::uint64_t{levels[v]} + 1);
    result.component_edges += graph.degree(v);
    if (!graph.input_edges().empty()) result.component_input_edges += graph.input_edges()[v];
    if (levels[v] == depth_limit) continue;
    for (const vertex_t w : graph.neighbors(v)) {
      if (levels[w] != kUnreached) continue;
      levels[w] = levels[v] + 1;
      queue.push_back(w);
    }
  }
  if (graph.symmetric()) result.component_edges /= 2;
  return result;
}

}  // namespace bfslab
