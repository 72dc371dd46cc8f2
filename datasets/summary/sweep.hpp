// SPDX-License-Identifier: Apache-2.0
// Breadth-first search for its depth alone: the basis of estimates of the diameter.
#pragma once

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

struct Sweep {
  vertex_t last = kNoVertex;  // the lowest id among the vertices of the deepest level
  level_t depth = 0;          // its level
  std::uint64_t reached = 0;  // vertices, the source included
};

// Along the edges as stored. Parallel, the same result for any number of threads; a symmetric graph
// is searched bottom-up where the frontier is large (Beamer et al., SC 2012): above
// 1/14 of the unexplored edges and 1/24 of the vertices.
Sweep sweep(const CsrGraph& graph, vertex_t source, int threads = 0);

}  // namespace bfslab
