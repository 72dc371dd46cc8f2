// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/reference.hpp"

namespace bfslab::tests {

std::vector<level_t> reference_levels(const CsrGraph& graph, vertex_t source) {
  std::vector<level_t> levels(graph.vertex_count(), kUnreached);
  levels[source] = 0;
  std::vector<vertex_t> frontier{source};
  for (level_t level = 1; !frontier.empty(); ++level) {
    std::vector<vertex_t> next;
    for (const vertex_t u : frontier) {
      for (edge_t e = graph.row_offsets()[u]; e < graph.row_offsets()[u + std::size_t{1}]; ++e) {
        const vertex_t w = graph.columns()[e];
        if (levels[w] != kUnreached) continue;
        levels[w] = level;
        next.push_back(w);
      }
    }
    frontier = next;
  }
  return levels;
}

std::string judge(const CsrGraph& graph, vertex_t source, const WholeAnswer& answer,
                  const std::vector<level_t>& truth) {
  const auto at = [](const char* what, vertex_t v) { return what + std::to_string(v); };
  std::vector<bool> has_tree_edge(graph.vertex_count(), false);
  for (vertex_t u = 0; answer.parents != nullptr && u < graph.vertex_count(); ++u) {
    for (const vertex_t w : graph.neighbors(u)) {
      if (answer.parents[w] == u) has_tree_edge[w] = true;
    }
  }
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (answer.levels != nullptr && answer.levels[v] != truth[v]) {
      return at("wrong level at vertex ", v) + ": " + std::to_string(answer.levels[v]) +
             " instead of " + std::to_string(truth[v]);
    }
    if (answer.parents == nullptr) continue;
    const vertex_t parent = answer.parents[v];
    if (truth[v] == kUnreached) {
      if (parent != kNoVertex) return at("a parent for unreached vertex ", v);
    } else if (v == source) {
      if (parent != source) return at("the source is not its own parent: ", v);
    } else {
      if (parent >= graph.vertex_count()) return at("parent out of range at vertex ", v);
      if (truth[parent] != truth[v] - 1) return at("parent on the wrong level at vertex ", v);
      if (!has_tree_edge[v]) return at("parent is no in-neighbour of vertex ", v);
    }
  }
  return {};
}

}  // namespace bfslab::tests
