// SPDX-License-Identifier: Apache-2.0
// The sequential reference: a search in one thread with one queue, which shares no code with any
// engine. Where engines disagree, it says who is right.
#pragma once

#include "datasets/graph/csr_graph.hpp"
#include "kernels/check_result.hpp"

namespace bfslab {

// The counts of a right answer (those of CheckResult). O(vertices + edges); source < vertices.
CheckResult reference_counts(const CsrGraph& graph, vertex_t source);

}  // namespace bfslab
