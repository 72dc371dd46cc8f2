// Thread-centric dynamic balance (papers/xbfs.txt Algorithm 1): a thread takes entry t first, then
// whatever entry a shared counter hands out.
//
// Deviations (errata): the counter counts up by atomicAdd from the number of threads (the paper's
// atomicInc(x, 1) wraps at 1), and what it gives is an index into the queue, not a vertex. Lanes of
// a warp fetch together, as all lanes did on the paper's GPUs: since Volta they would drift apart,
// and each row would be read by a lane alone.
//
// Cost: static's, and an atomic on one address for the lanes of a warp together. Wins where rows
// differ much.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct ThreadCentric {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    unsigned i = thread_in_grid();
    while (const unsigned busy = __ballot_sync(kAllLanes, i < count)) {
      const bool mine = i < count;
      if (mine) looker.by_thread(work.queue.entries[i]);
      __syncwarp();
      stress_pause();
      // One atomic for the lanes that fetch: left to the compiler, it joins them only where it can
      // tell that the counter's address is the same for all.
      unsigned first = 0;
      if (lane_id() == 0) {
        first = atomicAdd(&work.next->ticket, static_cast<unsigned>(__popc(busy)));
      }
      first = threads_in_grid() + __shfl_sync(kAllLanes, first, 0);
      if (mine) i = first + __popc(busy & lanes_below());
    }
  }
};

}  // namespace bfslab::cuda
