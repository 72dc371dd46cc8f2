// SPDX-License-Identifier: Apache-2.0
// Answers in host memory, right ones to start from and faults to put in: for the tests of both
// checks.
#pragma once

#include <vector>

#include "kernels/engine.hpp"
#include "tests/kernels/reference.hpp"

namespace bfslab::tests {

struct Answered {
  std::vector<level_t> levels;
  std::vector<vertex_t> parents;

  [[nodiscard]] WholeAnswer view(Answer answer) const {
    return {.space = MemorySpace::host,
            .vertex_count = static_cast<vertex_t>(levels.size()),
            .levels = wants_levels(answer) ? levels.data() : nullptr,
            .parents = wants_parents(answer) ? parents.data() : nullptr};
  }
};

// Each vertex's parent is its last in-neighbour one level up.
inline Answered right_answer(const CsrGraph& graph, vertex_t source) {
  Answered right{reference_levels(graph, source), {}};
  right.parents.assign(graph.vertex_count(), kNoVertex);
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    if (right.levels[u] == kUnreached) continue;
    for (const vertex_t w : graph.neighbors(u)) {
      if (right.levels[w] == right.levels[u] + 1) right.parents[w] = u;
    }
  }
  right.parents[source] = source;
  return right;
}

}  // namespace bfslab::tests
