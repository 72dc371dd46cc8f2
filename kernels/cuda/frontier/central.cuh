// The central queue (papers/dfq.txt sections II.B and V.A: BASE): one array in global memory, its
// length an atomic counter that all threads share. Here the gathering by one scan of the statuses;
// scan-free enqueues are in search/visitor.cuh.
//
// Cost: the scan, 4 bytes for each vertex found, and an atomic on one address for each of them or
// for each warp that found some (toggle `enqueue`); n entries of memory. Wins wherever warps join
// their atomics, since contention is then up to 32 times less.
#pragma once

#include "kernels/cuda/frontier/item_scan.cuh"
#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

// All threads of the grid. Behind a barrier of the grid the queue is there for all.
__device__ inline void gather_central(const Search& search, level_t level, const QueueView& queue,
                                      std::uint32_t* queued) {
  ItemScan scan(search, level);
  for (Tile tile; scan.next(tile);) {
    for (unsigned j = 0; j < kItemsEach; ++j) {
      if ((tile.mask >> j & 1U) != 0) enqueue_central(search, tile.first + j, queue, queued);
    }
  }
}

}  // namespace bfslab::cuda
