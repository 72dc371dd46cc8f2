// SPDX-License-Identifier: Apache-2.0
// Properties of a graph: degrees, components, depth. For `bfslab graph info` and graphs.csv.
#pragma once

#include <cstdint>

#include "datasets/graph/csr_graph.hpp"
#include "datasets/summary/degrees.hpp"

namespace bfslab {

struct GraphSummary {
  // Out-degrees.
  edge_t minimum_degree = 0;
  edge_t median_degree = 0;
  edge_t percentile_90_degree = 0;
  edge_t percentile_99_degree = 0;
  edge_t maximum_degree = 0;
  double mean_degree = 0;
  vertex_t maximum_degree_vertex = kNoVertex;  // the lowest one; kNoVertex in the empty graph
  DegreeCounts degrees;
  std::uint64_t isolated_vertices = 0;  // neither an edge out nor, when directed, one in
  // Weakly connected components, including isolated vertices.
  std::uint64_t components = 0;
  std::uint64_t largest_component_vertices = 0;
  // Bounds of the longest shortest path in the largest component. From below: a breadth-first
  // search from the component's vertex of largest degree, the next one from the vertex found last,
  // and so on while they get deeper, four at most; along the edges when directed. From above, only
  // for an undirected graph: twice the depth of the first search.
  level_t diameter_at_least = 0;
  level_t diameter_at_most = kUnreached;  // kUnreached: not known
  // Order of ids: the number of bits of the difference of two neighbours' ids, its mean over all
  // edges. Ids 4 and 7 differ by 3, 2 bits. With random ids it is about log2 n - 1.7.
  double mean_gap_bits = 0;
};

enum class SummaryPart {
  degrees,  // and isolated vertices; O(n), and O(m) when directed
  all,
};

// The same for any number of threads.
GraphSummary summarize(const CsrGraph& graph, int threads = 0, SummaryPart part = SummaryPart::all);

}  // namespace bfslab
