// SPDX-License-Identifier: Apache-2.0
// Thread-centric dynamic balance (XBFS, Algorithm 1): a thread takes entry t first, then each time
// the entry that a shared counter hands out, by one atomic per thread and entry. Threads of a warp
// drift apart, since each goes on as soon as its own row ends.
//
// Deviations (docs/errata.md#xbfs-algorithm-1): the counter counts up by atomicAdd from the number
// of threads (the paper's atomicInc(x, 1) wraps at 1), and its value is an index into the queue,
// not a vertex. On the paper's GPUs up to Pascal the lanes of a warp ran in step; since Volta they
// need not meet again before the end.
//
// Cost: static's, and an atomic on one address per vertex beyond the first of each thread. Wins
// where rows differ much; one thread reads a hub's row to its end (thread_bounded.cuh avoids that).
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct ThreadCentric {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    for (unsigned i = thread_in_grid(); i < count; i = threads_in_grid() + looker.take_ticket(1)) {
      looker.by_thread(work.queue.entries[i]);
    }
    __syncwarp();
  }
};

}  // namespace bfslab::cuda
