// SPDX-License-Identifier: Apache-2.0
// How many vertices have which degree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// (out-degree, vertices of it), ascending, without empty ones. O(n / threads).
using DegreeCounts = std::vector<std::pair<edge_t, std::uint64_t>>;
DegreeCounts count_degrees(const CsrGraph& graph, int threads = 0);

// The smallest degree that at least `percent` of the vertices do not exceed; 0 without vertices.
edge_t degree_quantile(const DegreeCounts& counts, unsigned percent);

// Vertices by ranges of degree: 0, 1, 2-3, 4-7, ..., up to the one of the largest degree.
struct DegreeBin {
  edge_t low = 0;
  edge_t high = 0;  // inclusive
  std::uint64_t vertices = 0;
};
std::vector<DegreeBin> bin_degrees(const DegreeCounts& counts);

}  // namespace bfslab
