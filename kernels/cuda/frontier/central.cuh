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

// The tile's items to the end of the queue: by one atomic for all that a warp has, where one queue
// takes them all. All threads of the block.
__device__ inline void enqueue_tile(const Search& search, Tile& tile, const QueueView& queue,
                                    std::uint32_t* queued) {
  const bool joined = !search.one_atomic_a_vertex && !search.by_degree;
  std::uint32_t at =
      joined ? places_of_warp(queued, static_cast<std::uint32_t>(__popc(tile.mask))) : 0;
  while (tile.mask != 0) {
    const std::uint32_t item = tile.take();
    if (joined) {
      stress_pause();
      queue.entries[at++] = item;
    } else {
      enqueue_central(search, item, queue, queued);
    }
  }
}

// All threads of the grid. Behind a barrier of the grid the queue is there for all.
__device__ inline void gather_central(const Search& search, level_t level, const QueueView& queue,
                                      std::uint32_t* queued) {
  ItemScan scan(search, level);
  for (Tile tile; scan.next(tile);) enqueue_tile(search, tile, queue, queued);
}

}  // namespace bfslab::cuda
