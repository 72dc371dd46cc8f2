// SPDX-License-Identifier: Apache-2.0
// A breadth-first search and a validation that share no code with engines or with check_answer.
#pragma once

#include <string>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/engine.hpp"

namespace bfslab::tests {

// [n] hops from the source, kUnreached where there is no path.
std::vector<level_t> reference_levels(const CsrGraph& graph, vertex_t source);

// Empty if the answer is right, else what is wrong. Levels are unique, so right means equal to
// `truth`; a parent is right if the edge exists and `truth` rises by one along it.
std::string judge(const CsrGraph& graph, vertex_t source, const WholeAnswer& answer,
                  const std::vector<level_t>& truth);

}  // namespace bfslab::tests
