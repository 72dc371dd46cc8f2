// SPDX-License-Identifier: Apache-2.0
// The level loop inside one cooperative kernel, and the log of its levels for the host.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// Runs levels first, first + 1, ..., at most `most` of them.
//   run(level)    runs one level; returns false if its frontier is empty and nothing ran
//   ended(level)  called after the barrier that ends the level: returns whether it was the last
// Both are called by all threads of the grid, and return the same to all of them.
template <typename Run, typename Ended>
__device__ __forceinline__ void run_levels(const Traversal& work, level_t first, level_t most,
                                           Run&& run, Ended&& ended) {
  if (thread_in_grid() == 0) work.log.starts();
  for (level_t level = first; level - first < most; ++level) {
    if (thread_in_grid() == 0) work.slots.clear_ahead_of(level);
    if (!run(level)) break;
    barrier_of_grid();
    if (thread_in_grid() == 0) work.log.level_ended(level, *work.slot(level));
    if (ended(level)) break;
  }
}

}  // namespace bfslab::cuda
