// SPDX-License-Identifier: Apache-2.0
#include "kernels/answer_rules.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

namespace {

std::string level_text(level_t level) {
  return level == kUnreached ? "no level" : fmt::format("level {}", level);
}

std::string root(vertex_t source, const JudgedAnswer& answer) {
  if (!answer.levels.empty() && answer.levels[source] != 0) {
    return fmt::format("the source {} has {}, not level 0", source,
                       level_text(answer.levels[source]));
  }
  return answer.parents[source] == kNoVertex
             ? fmt::format("the source {} has no parent; it should be its own", source)
             : fmt::format("the source {} has parent {}; it should be its own", source,
                           answer.parents[source]);
}

std::string range(vertex_t v, const char* what, std::uint32_t value, vertex_t n) {
  return fmt::format("vertex {} has {} {}, and there are only {} vertices", v, what, value, n);
}

std::string lost(vertex_t v, std::span<const vertex_t> parents) {
  vertex_t u = v;
  for (std::size_t steps = 0; steps < parents.size(); ++steps) {
    if (parents[u] == kNoVertex) {
      return fmt::format("following parents from vertex {} ends at vertex {}, which has none", v,
                         u);
    }
    u = parents[u];
  }
  return fmt::format("following parents from vertex {} never ends: the tree has a cycle through {}",
                     v, u);
}

std::string long_edge(vertex_t v, const CsrGraph& graph, std::span<const level_t> levels) {
  for (const vertex_t w : graph.neighbors(v)) {
    if (levels[w] > levels[v] + 1) {
      return fmt::format("edge {} -> {} leads from level {} to {}", v, w, levels[v],
                         level_text(levels[w]));
    }
  }
  throw std::logic_error("the answer changed while it was checked");
}

}  // namespace

std::string sentence(Rule rule, vertex_t v, const CsrGraph& graph, const JudgedAnswer& answer) {
  const vertex_t n = graph.vertex_count();
  const auto& [source, levels, parents] = answer;
  switch (rule) {
    case Rule::source_is_root:
      return root(v, answer);
    case Rule::levels_in_range:
      return levels[v] == 0 ? fmt::format("vertex {} has level 0, but the source is {}", v, source)
                            : range(v, "level", levels[v], n);
    case Rule::parents_in_range:
      return range(v, "parent", parents[v], n);
    case Rule::halves_agree:
      return levels[v] == kUnreached
                 ? fmt::format("vertex {} has parent {}, but no level", v, parents[v])
                 : fmt::format("vertex {} has level {}, but no parent", v, levels[v]);
    case Rule::parents_form_a_tree:
      return lost(v, parents);
    case Rule::parents_are_neighbors:
      return fmt::format("vertex {} has parent {}, but the graph has no edge {} -> {}", v,
                         parents[v], parents[v], v);
    case Rule::parents_one_level_up:
      return fmt::format("vertex {} has level {}, but its parent {} has {}", v, levels[v],
                         parents[v], level_text(levels[parents[v]]));
    case Rule::edges_span_one_level:
      return long_edge(v, graph, levels);
    case Rule::levels_are_supported:
      return fmt::format("vertex {} has level {}, but no edge enters it from level {}", v,
                         levels[v], levels[v] - 1);
  }
  throw std::logic_error("no such rule");
}

}  // namespace bfslab
