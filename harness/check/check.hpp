// SPDX-License-Identifier: Apache-2.0
// The five rules of Graph500's validation (graph500-romeo, section 3.3.2), on the CPU, in parallel;
// directed graphs by the rules that hold for them: an edge u->v demands
// level(v) <= level(u) + 1, and every reached vertex but the source has an in-neighbour one up. A
// search that ends at a level reaches all vertices up to it, and none beyond.
#pragma once

#include "datasets/graph/csr_graph.hpp"
#include "kernels/check_result.hpp"
#include "kernels/engine.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab {

// The search whose answer is judged. A vertex converts to a search that has no limit.
struct SearchAsked {
  SearchAsked(vertex_t from, level_t limit = kNoDepthLimit) : source(from), depth_limit(limit) {}
  vertex_t source;
  level_t depth_limit;
};

// Checks an answer in host memory that has levels, parents or both. Parents alone are checked with
// the levels that the tree implies. Never compares parents with those of another run.
CheckResult check_answer(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer,
                         int threads = 0);

// Returns the counts only, for trials that are not checked.
CheckResult summarize_answer(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer,
                             int threads = 0);

}  // namespace bfslab
