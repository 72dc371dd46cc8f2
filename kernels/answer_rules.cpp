// SPDX-License-Identifier: Apache-2.0
#include "kernels/answer_rules.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

namespace {

std::string level_text(std::uint64_t level) {
  return level == kUnreached ? "no level" : fmt::format("level {}", level);
}

std::string parent_text(std::uint64_t parent) {
  return parent == Violation::kNone ? std::string("no parent") : fmt::format("parent {}", parent);
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

// The head of the first edge of `v` that leads more than one level down.
vertex_t far_head(vertex_t v, const CsrGraph& graph, std::span<const level_t> levels) {
  for (const vertex_t w : graph.neighbors(v)) {
    if (levels[w] > levels[v] + 1) return w;
  }
  throw std::logic_error("the answer changed while it was checked");
}

}  // namespace

std::string sentence(const Violation& broken, std::uint64_t source, std::uint64_t n) {
  const auto [rule, v, other, level, other_level] = broken;
  switch (static_cast<Rule>(rule)) {
    case Rule::source_is_root:
      return level != 0
                 ? fmt::format("the source {} has {}, not level 0", source, level_text(level))
                 : fmt::format("the source {} has {}; it should be its own", source,
                               parent_text(other));
    case Rule::levels_in_range:
      return level == 0 ? fmt::format("vertex {} has level 0, but the source is {}", v, source)
                        : fmt::format("vertex {} has level {}, and there are only {} vertices", v,
                                      level, n);
    case Rule::parents_in_range:
      return fmt::format("vertex {} has parent {}, and there are only {} vertices", v, other, n);
    case Rule::halves_agree:
      return level == kUnreached
                 ? fmt::format("vertex {} has {}, but no level", v, parent_text(other))
                 : fmt::format("vertex {} has level {}, but no parent", v, level);
    case Rule::parents_form_a_tree:
      return fmt::format("following parents from vertex {} does not lead to the source {}", v,
                         source);
    case Rule::levels_within_limit:
      return fmt::format("vertex {} has level {}, but the search ends at level {}", v, level,
                         other_level);
    case Rule::parents_are_neighbors:
      return fmt::format("vertex {} has parent {}, but the graph has no edge {} -> {}", v, other,
                         other, v);
    case Rule::parents_one_level_up:
      return fmt::format("vertex {} has level {}, but its parent {} has {}", v, level, other,
                         level_text(other_level));
    case Rule::edges_span_one_level:
      return fmt::format("edge {} -> {} leads from level {} to {}", v, other, level,
                         level_text(other_level));
    case Rule::levels_are_supported:
      return fmt::format("vertex {} has level {}, but no edge enters it from level {}", v, level,
                         level - 1);
  }
  throw std::logic_error("no such rule");
}

std::string sentence(Rule rule, vertex_t v, const CsrGraph& graph, const JudgedAnswer& answer) {
  const auto& [source, levels, parents, depth_limit] = answer;
  if (rule == Rule::parents_form_a_tree) return lost(v, parents);
  Violation broken{.rule = static_cast<std::uint64_t>(rule),
                   .vertex = v,
                   .level = levels.empty() ? 0 : levels[v]};
  if (!parents.empty() && parents[v] != kNoVertex) broken.other = parents[v];
  if (rule == Rule::levels_within_limit) broken.other_level = depth_limit;
  if (rule == Rule::edges_span_one_level) broken.other = far_head(v, graph, levels);
  if (rule == Rule::edges_span_one_level || rule == Rule::parents_one_level_up) {
    broken.other_level = levels[broken.other];
  }
  return sentence(broken, source, graph.vertex_count());
}

}  // namespace bfslab
