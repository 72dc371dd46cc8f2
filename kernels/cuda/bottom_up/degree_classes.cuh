// SPDX-License-Identifier: Apache-2.0
// Balance by degree, the baseline (XBFS, section 5.1.1, of Enterprise): threads read short rows,
// warps and blocks longer ones, as if the whole row had to be read.
//
// Enterprise launches concurrent kernels, one per class, each of which calls run_class(). Its whole
// grid then shares the rows of the fourth class: a thread that finds a parent claims the vertex,
// and the others stop at their next neighbour.
//
// Deviation: where run() takes the classes in turn, and wherever bottom-up is asynchronous, a block
// reads the rows of the fourth class. Lemma 2 needs one verdict per row, which a grid gives only
// at the end of the kernel.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct BalanceByDegree {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    for (int of_class = 3; of_class >= 2; --of_class) by_blocks(work, looker, of_class);
    by_warps(work, looker);
    by_threads(work, looker);
  }

  // Runs the vertices of one class. Called by all threads of the grid.
  template <int kClass, typename L>
  __device__ static void run_class(const BottomUp& work, L& looker) {
    if constexpr (kClass == 0) {
      by_threads(work, looker);
    } else if constexpr (kClass == 1) {
      by_warps(work, looker);
    } else if constexpr (kClass == 2 || L::kIsAsync) {
      by_blocks(work, looker, kClass);
    } else {
      const unsigned count = work.queued[3];
      for (unsigned i = 0; i < count; ++i) looker.by_grid(whole_row(work, entry(work, 3, i)));
      __syncwarp();
    }
  }

 private:
  template <typename L>
  __device__ static void by_blocks(const BottomUp& work, L& looker, int of_class) {
    __shared__ vertex_t met[2];  // the smallest neighbour at level, and at level + 1
    const unsigned count = work.queued[of_class];
    for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
      looker.template by_block<1>(whole_row(work, entry(work, of_class, i)), met);
    }
  }

  template <typename L>
  __device__ static void by_warps(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[1];
    for (unsigned i = thread_in_grid() / 32; i < count; i += threads_in_grid() / 32) {
      looker.by_warp(whole_row(work, entry(work, 1, i)), 0);
    }
  }

  template <typename L>
  __device__ static void by_threads(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    for (unsigned i = thread_in_grid(); i < count; i += threads_in_grid()) {
      looker.by_thread(entry(work, 0, i));
    }
    __syncwarp();
  }

  __device__ static vertex_t entry(const BottomUp& work, int of_class, unsigned i) {
    return work.queue.entries[work.queue.region[of_class] + i];
  }
  __device__ static UnfinishedRow whole_row(const BottomUp& work, vertex_t v) {
    const edge_t* const offsets = work.incoming().row_offsets;
    return {v, kNoVertex, offsets[v], offsets[v + std::size_t{1}]};
  }
};

}  // namespace bfslab::cuda
