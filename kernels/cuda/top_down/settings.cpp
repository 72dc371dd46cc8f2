// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/top_down/settings.hpp"

#include <algorithm>

namespace bfslab::cuda {

double search_part_bytes(const TopDownSettings& settings, const GraphFacts& facts) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  double bytes = 0;
  double items = n;
  if (settings.split > 0) {
    // An upper bound: the last share of each vertex has a single edge.
    items = std::min(m, (m + n * (settings.split - 1)) / settings.split);
    bytes += (items + n + 1) * sizeof(vertex_t);
  }
  if (settings.materialises()) bytes += 2 * items * sizeof(vertex_t);
  if (settings.expand->traits.sums_degrees) bytes += (n + 1) * sizeof(edge_t);
  if (settings.frontier.collect == Collect::filter) bytes += (m + 1) * sizeof(vertex_t) + n / 8;
  return bytes;
}

double search_bytes(const TopDownSettings& settings, const GraphFacts& facts, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const double answers = wants_parents(answer) ? 2 : 1;  // levels are kept in any case
  return (n + 1) * sizeof(edge_t) + m * sizeof(vertex_t) + answers * n * sizeof(vertex_t) +
         search_part_bytes(settings, facts);
}

}  // namespace bfslab::cuda
