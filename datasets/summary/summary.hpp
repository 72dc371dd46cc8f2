// What a graph is like: degrees, components, depth. For `bfslab graph info` and graphs.csv.
#pragma once

#include <cstdint>

#include "datasets/graph/csr_graph.hpp"

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
  std::uint64_t isolated_vertices = 0;         // neither an edge out nor, when directed, one in
  // Weakly connected components, isolated vertices among them.
  std::uint64_t components = 0;
  std::uint64_t largest_component_vertices = 0;
  // A lower bound of the longest shortest path: breadth-first search from the vertex of largest
  // degree, then from the vertex found last (double sweep; along the edges when directed).
  level_t diameter_at_least = 0;
};

GraphSummary summarize(const CsrGraph& graph, int threads = 0);

}  // namespace bfslab
