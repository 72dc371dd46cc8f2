// SPDX-License-Identifier: Apache-2.0
// Finds the smallest vertex that breaks a rule, so that messages are the same for any number of
// threads.
#pragma once

#include "datasets/graph/types.hpp"

namespace bfslab {

// Calls breaks(v) from several threads, for every v < n that could still be the smallest. Returns
// kNoVertex if no vertex breaks the rule. Pieces of 1024 vertices are distributed one by one, since
// a hub's row may be as long as all others of its piece together.
template <typename Breaks>
vertex_t first_violation(vertex_t n, int threads, const Breaks& breaks) {
  vertex_t first = kNoVertex;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) \
    reduction(min                                                     \
              : first) if (n > 1024)
  for (vertex_t v = 0; v < n; ++v) {
    if (v < first && breaks(v)) first = v;
  }
  return first;
}

}  // namespace bfslab
