// SPDX-License-Identifier: Apache-2.0
// The sequential reference: a search in one thread with one queue, which shares no code with any
// engine. If engines disagree, it decides which one is right.
#pragma once

#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/check_result.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab {

// Returns the counts of a right answer (those of CheckResult) of a search up to level
// `depth_limit`. O(vertices + edges). Requires source < vertices.
CheckResult reference_counts(const CsrGraph& graph, vertex_t source,
                             level_t depth_limit = kNoDepthLimit);

// Returns the right level of each vertex of such a search, kUnreached where it has none.
std::vector<level_t> reference_levels(const CsrGraph& graph, vertex_t source,
                                      level_t depth_limit = kNoDepthLimit);

}  // namespace bfslab
