// SPDX-License-Identifier: Apache-2.0
#include "harness/check/first_difference.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "harness/check/reference.hpp"
#include "harness/check/tree_levels.hpp"

namespace bfslab {

namespace {

// Returns the levels that the parents imply; empty if they are no tree from the source.
std::vector<level_t> implied_levels(std::span<const vertex_t> parents, vertex_t source) {
  const auto outside = [&](vertex_t parent) {
    return parent != kNoVertex && parent >= parents.size();
  };
  if (parents[source] != source || std::ranges::any_of(parents, outside)) return {};
  std::vector<level_t> levels(parents.size());
  if (tree_levels(parents, source, levels, 1) != kNoVertex) return {};
  return levels;
}

}  // namespace

std::optional<LevelDifference> first_difference(const CsrGraph& graph, SearchAsked search,
                                                const WholeAnswer& answer) {
  const vertex_t n = graph.vertex_count();
  std::vector<level_t> implied;
  if (answer.levels == nullptr) implied = implied_levels({answer.parents, n}, search.source);
  const level_t* const found = answer.levels != nullptr ? answer.levels : implied.data();
  if (answer.levels == nullptr && implied.empty()) return std::nullopt;
  const std::vector<level_t> expected = reference_levels(graph, search.source, search.depth_limit);
  std::optional<LevelDifference> first;
  std::uint64_t vertices = 0;
  for (vertex_t v = 0; v < n; ++v) {
    if (found[v] == expected[v]) continue;
    ++vertices;
    if (!first || expected[v] < first->expected) first = {v, expected[v], found[v], 0};
  }
  if (first) first->vertices = vertices;
  return first;
}

}  // namespace bfslab
