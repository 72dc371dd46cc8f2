// SPDX-License-Identifier: Apache-2.0
// Parameters of the power-law generators for given counts. Some random tuples repeat others, so a
// given number of distinct edges takes more tuples than that: how many is solved for from the
// weights, as is the offset that makes the largest expected degree the given one.
#pragma once

#include "datasets/generate/power_law.hpp"

namespace bfslab {

// Expected values over all seeds.
struct ExpectedCounts {
  double arcs = 0;            // distinct directed edges
  double pairs = 0;           // distinct undirected edges
  double largest_degree = 0;  // of the heaviest vertex, undirected; the left one's if bipartite
  double largest_right_degree = 0;  // bipartite only
};

ExpectedCounts expected_counts(const PowerLawShape& shape);
ExpectedCounts expected_counts(const BipartiteShape& shape);

// Returns `shape` with `edges` and `offset` solved, so that the expected number of distinct arcs
// (directed) or pairs (otherwise) is wanted_edges to within 0.01 %, and the heaviest vertex's
// expected degree is largest_degree, or as close to it as offset 0 allows. Takes about a second.
// Throws InputError if this number of edges is impossible.
PowerLawShape calibrate(PowerLawShape shape, edge_t wanted_edges, bool directed,
                        std::uint64_t largest_degree);
// The same for both sides of a bipartite graph.
BipartiteShape calibrate(BipartiteShape shape, edge_t wanted_edges,
                         std::uint64_t largest_left_degree, std::uint64_t largest_right_degree);

}  // namespace bfslab
