// Thread-centric dynamic balance (papers/xbfs.txt Algorithm 1): a thread takes entry t first, then
// whatever entry a shared counter hands out.
//
// Deviations (errata): the counter counts up by atomicAdd from the number of threads (the paper's
// atomicInc(x, 1) wraps at 1), and what it gives is an index into the queue, not a vertex. Lanes of
// a warp fetch together, as all lanes did on the paper's GPUs: since Volta they would drift apart,
// and each row would be read by a lane alone (Kronecker scale 24, async: 2.9 ms against 1.3).
//
// Cost: static's, and an atomic on one address a vertex, which the compiler joins for the lanes of
// a warp. Wins where rows differ much.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct ThreadCentric {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    for (unsigned i = thread_in_grid(); __any_sync(kAllLanes, i < count) != 0;) {
      if (i < count) looker.by_thread(work.queue.entries[i]);
      __syncwarp();
      stress_pause();
      if (i < count) i = threads_in_grid() + atomicAdd(&work.next->ticket, 1U);
    }
  }
};

}  // namespace bfslab::cuda
