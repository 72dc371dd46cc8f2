// The level loop over streamed frontiers: papers/dfq.txt Figure 4, one cooperative kernel with one
// barrier of the grid a level.
#pragma once

#include "kernels/cuda/frontier/decentralized.cuh"
#include "kernels/cuda/search/level_loop.cuh"

namespace bfslab::cuda {

// One level; returns the size of its frontier, to all threads of the block alike.
template <typename Expand>
__device__ std::uint32_t stream_level(const Search& search, level_t level, std::uint32_t* shared,
                                      std::uint32_t* size) {
  std::uint32_t* const entries =
      search.sub_queues == nullptr ? shared
                                   : search.sub_queues + std::size_t{blockIdx.x} * search.capacity;
  SubQueue queue(entries, search.capacity, size, search.one_atomic_a_vertex);
  Visitor visitor = visitor_of(search, level);
  std::uint32_t frontier = 0;
  ItemScan scan(search, level);
  bool more = true;
  while (more) {
    Tile tile;
    more = scan.next(tile);
    for (bool fits = false; !fits;) {
      fits = !more || queue.enqueue(tile);
      if (fits && more) break;
      if (queue.filled() == 0) continue;
      queue.settle();
      Expand::template run<BlockScope>(search, queue.entries(), queue.filled(), visitor);
      frontier += queue.filled();
      queue.clear();
    }
  }
  visitor.finish();
  return frontier;
}

template <typename Expand>
__global__ void __launch_bounds__(1024)
    streamed_search(const __grid_constant__ Search search, level_t first, level_t most) {
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t size;
  for (level_t level = first; level - first < most; ++level) {
    LevelSlot* const now = slot_of(search, level);
    const std::uint32_t frontier = stream_level<Expand>(search, level, shared, &size);
    if (threadIdx.x == 0 && frontier > 0) atomicAdd(&now->queued[0], frontier);
    if (thread_in_grid() == 0) *slot_of(search, level + 2) = LevelSlot{};
    barrier_of_grid();
    if (queued_at(now) == 0) break;
  }
}

}  // namespace bfslab::cuda
