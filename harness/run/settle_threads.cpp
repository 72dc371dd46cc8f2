// SPDX-License-Identifier: Apache-2.0
#include "harness/run/settle_threads.hpp"

#include <omp.h>

#include <chrono>

namespace bfslab {

namespace {

// The barrier keeps the compiler from leaving the region out.
void meet_once(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
  }
}

}  // namespace

void settle_threads(OptionalCount threads) {
  if (threads.value_or(1) <= 1) {
    omp_pause_resource_all(omp_pause_soft);
    return;
  }
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kAwake{50};
  for (int turn = 0; turn < 8; ++turn) {
    const auto begin = clock::now();
    meet_once(static_cast<int>(*threads));
    if (clock::now() - begin <= kAwake) return;
  }
}

}  // namespace bfslab
