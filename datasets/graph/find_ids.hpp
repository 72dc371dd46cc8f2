// SPDX-License-Identifier: Apache-2.0
// Finds vertices by their ids in the graph's file.
#pragma once

#include <span>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

struct IdMatch {
  vertex_t vertex = kNoVertex;  // the lowest vertex that has the id; kNoVertex: none
  vertex_t other = kNoVertex;   // another one: the two sets of a bipartite graph share ids
};

// Returns a match per id, in their order. One pass over the vertices, for any number of ids.
std::vector<IdMatch> find_ids(const CsrGraph& graph, std::span<const std::uint64_t> ids);

}  // namespace bfslab
