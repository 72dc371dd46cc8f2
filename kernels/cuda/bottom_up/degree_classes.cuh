// Balance by degree, the baseline (papers/xbfs.txt section 5.1.1, of Enterprise): short rows by
// threads, longer ones by warps and blocks, as if the whole row had to be read.
//
// Deviation: rows of Enterprise's fourth class, which its whole grid shares, are read by a block
// here. Early termination and Lemma 2 both need one verdict a row, which a grid could give only at
// the end of the kernel.
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
        by_block(work, looker, entry(of_class, i), met);
      }
    }
    const unsigned of_warps = work.queued[1];
    for (unsigned i = thread_in_grid() / 32; i < of_warps; i += threads_in_grid() / 32) {
      const vertex_t v = entry(1, i);
      looker.by_warp(v, work.incoming.row_offsets[v], work.incoming.row_offsets[v + std::size_t{1}],
                     kNoVertex, 0);
    }
    const unsigned of_threads = work.queued[0];
    for (unsigned i = thread_in_grid(); i < of_threads; i += threads_in_grid()) {
      looker.by_thread(entry(0, i));
    }
    __syncwarp();
  }

 private:
  template <typename L>
  __device__ static void by_block(const BottomUp& work, L& looker, vertex_t v, vertex_t* met) {
    if (threadIdx.x < 2) met[threadIdx.x] = kNoVertex;
    __syncthreads();
    const edge_t end = work.incoming.row_offsets[v + std::size_t{1}];
    for (edge_t first = work.incoming.row_offsets[v]; first < end; first += blockDim.x) {
      const edge_t e = first + threadIdx.x;
      bool up = false;
      if (e < end) {
        const vertex_t u = work.incoming.columns[e];
        const level_t at = looker.look(u);
        up = at == work.level;
        if (up) atomicMin(&met[0], u);
        if (at == work.level + 1) atomicMin(&met[1], u);
      }
      if (__syncthreads_or(up) != 0) break;
    }
    __syncthreads();
    if (threadIdx.x == 0) looker.settle(v, met[0], met[1]);
    __syncthreads();
  }
};

}  // namespace bfslab::cuda
