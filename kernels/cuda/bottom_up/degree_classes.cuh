// SPDX-License-Identifier: Apache-2.0
// Balance by degree, the baseline (XBFS, section 5.1.1, of Enterprise): threads read short rows,
// warps and blocks longer ones, as if the whole row had to be read.
//
// Deviation: a block reads rows of Enterprise's fourth class, which its whole grid shares. Early
// termination and Lemma 2 need one verdict per row, which a grid gives only at the kernel's end.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct BalanceByDegree {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    __shared__ vertex_t met[2];  // the smallest neighbour at level, and at level + 1
    const auto entry = [&](int of_class, unsigned i) {
      return work.queue.entries[work.queue.region[of_class] + i];
    };
    for (int of_class = 3; of_class >= 2; --of_class) {
      const unsigned count = work.queued[of_class];
      for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
        looker.template by_block<1>(whole_row(work, entry(of_class, i)), met);
      }
    }
    const unsigned of_warps = work.queued[1];
    for (unsigned i = thread_in_grid() / 32; i < of_warps; i += threads_in_grid() / 32) {
      looker.by_warp(whole_row(work, entry(1, i)), 0);
    }
    const unsigned of_threads = work.queued[0];
    for (unsigned i = thread_in_grid(); i < of_threads; i += threads_in_grid()) {
      looker.by_thread(entry(0, i));
    }
    __syncwarp();
  }

 private:
  __device__ static UnfinishedRow whole_row(const BottomUp& work, vertex_t v) {
    const edge_t* const offsets = work.incoming().row_offsets;
    return {v, kNoVertex, offsets[v], offsets[v + std::size_t{1}]};
  }
};

}  // namespace bfslab::cuda
