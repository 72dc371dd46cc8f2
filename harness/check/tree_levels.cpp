// SPDX-License-Identifier: Apache-2.0
#include "harness/check/tree_levels.hpp"

#include <algorithm>
#include <atomic>

#include "harness/check/first_violation.hpp"

namespace bfslab {

vertex_t tree_levels(std::span<const vertex_t> parents, vertex_t source, std::span<level_t> levels,
                     int threads) {
  std::fill(levels.begin(), levels.end(), kUnreached);
  levels[source] = 0;
  const auto known = [&](vertex_t v) { return std::atomic_ref<level_t>(levels[v]); };
  // Walks up to the nearest vertex whose level is known, then down its own steps again. A vertex is
  // walked over at most once by each thread, and two that meet write the same levels.
  const auto leads_nowhere = [&](vertex_t v) {
    if (parents[v] == kNoVertex) return false;
    vertex_t u = v;
    level_t steps = 0;
    while (known(u).load(std::memory_order_relaxed) == kUnreached) {
      u = parents[u];
      if (u == kNoVertex || ++steps >= parents.size()) return true;
    }
    level_t level = known(u).load(std::memory_order_relaxed) + steps;
    for (u = v; steps > 0; --steps, --level, u = parents[u]) {
      known(u).store(level, std::memory_order_relaxed);
    }
    return false;
  };
  const auto n = static_cast<vertex_t>(parents.size());
  return first_violation(n, threads, leads_nowhere);
}

}  // namespace bfslab
