// SPDX-License-Identifier: Apache-2.0
// Warp-centric dynamic balance that fetches ahead: lane 0 takes the warp's next ticket before the
// warp looks at its present 32 entries, so that the atomic's latency overlaps with the rows. Our
// variant of XBFS's Algorithm 2 (warp_centric.cuh).
//
// Cost: warp-centric's without the wait for the counter; one ticket per warp more than there are
// entries, which stays unused.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct WarpAhead {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    for (unsigned first = thread_in_grid() - lane_id(); first < count;) {
      unsigned next = 0;
      if (lane_id() == 0) next = threads_in_grid() + looker.take_ticket(32);
      if (first + lane_id() < count) looker.by_thread(work.queue.entries[first + lane_id()]);
      __syncwarp();
      first = __shfl_sync(kAllLanes, next, 0);
    }
  }
};

}  // namespace bfslab::cuda
