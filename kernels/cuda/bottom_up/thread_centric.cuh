// SPDX-License-Identifier: Apache-2.0
// Thread-centric dynamic balance (XBFS, Algorithm 1): a thread takes entry t first, then the
// entries that a shared counter hands out.
//
// Deviations (docs/errata.md#xbfs-algorithm-1): the counter counts up by atomicAdd from the number
// of threads (the paper's atomicInc(x, 1) wraps at 1), and its value is an index into the queue,
// not a vertex. The lanes of a warp fetch together, as all lanes did on the paper's GPUs. Since
// Volta they would otherwise drift apart, and a single lane would read each row.
//
// Cost: static's, and an atomic on one address for the lanes of a warp together. Wins where rows
// differ much; one thread reads a hub's row to its end (thread_bounded.cuh avoids this).
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct ThreadCentric {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    hand_out_entries(work, [&](bool mine, unsigned i) {
      if (mine) looker.by_thread(work.queue.entries[i]);
    });
  }
};

}  // namespace bfslab::cuda
