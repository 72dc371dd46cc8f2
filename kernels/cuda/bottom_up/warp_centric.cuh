// SPDX-License-Identifier: Apache-2.0
// Warp-centric dynamic balance (XBFS, Algorithm 2): lane 0 fetches 32 entries for its warp, and
// a shuffle passes their place on.
//
// Deviations (docs/errata.md#xbfs-algorithm-2): the loop is the same for all lanes of a warp, since
// a shuffle in a divergent loop is undefined, and the first 32 T entries need no counter.
//
// Cost: static's, and one atomic and one shuffle per 32 vertices; lanes wait for the slowest.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

// Returns the first entry of the warp's next 32, the same for all lanes.
template <typename L>
__device__ unsigned next_of_warp(L& looker) {
  unsigned first = 0;
  if (lane_id() == 0) first = threads_in_grid() + looker.take_ticket(32);
  return __shfl_sync(kAllLanes, first, 0);
}

struct WarpCentric {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    look_by_threads(work, looker, [&](unsigned) { return next_of_warp(looker); });
  }
};

}  // namespace bfslab::cuda
