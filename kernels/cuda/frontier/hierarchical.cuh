// SPDX-License-Identifier: Apache-2.0
// The hierarchical queue (DFQ, sections II.C and III.B, after Luo et al., DAC 2010). A warp's finds
// go to a queue in shared memory. A block's queues are joined when its share of the level is over,
// and the joined queue goes to the global one by a single atomic.
//
// Eight lower queues per block, chosen by the lane, share its capacity evenly, so that lanes of one
// warp use different counters. A full lower queue is the overflow on which the paper's
// implementation fails for graphs of large degree. Here the entry is dropped, a flag is raised, and
// the traversal ends without an answer. Nothing is written out of bounds.
//
// Cost: a shared atomic per vertex found, 4 bytes into and out of shared memory, one global atomic
// per block and level. Wins where frontiers are small and the global counter is contended.
#pragma once

#include "kernels/cuda/traversal/item_scan.cuh"
#include "kernels/cuda/traversal/queues.hpp"

namespace bfslab::cuda {

struct HierarchicalQueue {
  static constexpr unsigned kLower = 8;

  vertex_t* entries = nullptr;      // [kLower * each] in shared memory
  std::uint32_t* counts = nullptr;  // [kLower + 1] in shared memory; the last is the flush's place
  std::uint32_t each = 0;     // entries of a lower queue; at least blockDim.x / kLower, since that
                              // many may enter between two flushes
  std::uint32_t atomics = 0;  // this thread's additions to counts and to the global queue's length

  __device__ void push(vertex_t v, std::uint32_t* overflow) {
    const unsigned lower = threadIdx.x % kLower;
    ++atomics;
    const std::uint32_t at = atomicAdd(&counts[lower], 1U);
    if (at < each) {
      entries[lower * each + at] = v;
    } else {
      atomicExch(overflow, 1U);
    }
  }

  // Enqueues a scan's finds. If they might not all fit, they are taken in steps of one per thread,
  // with a flush before a step that could overflow. Called by all threads of the block.
  __device__ void push_tile(Tile& tile, vertex_t* queue, std::uint32_t* queued,
                            std::uint32_t* overflow) {
    const auto finders = static_cast<unsigned>(__syncthreads_count(tile.mask != 0 ? 1 : 0));
    if (finders == 0) return;
    const bool at_once = fullest() + finders * kItemsEach <= each;
    for (unsigned j = 0; j < (at_once ? 1 : kItemsEach); ++j) {
      if (!at_once && fullest() + blockDim.x / kLower > each) flush(queue, queued);
      const unsigned now = at_once ? tile.mask : tile.mask & 1U << j;
      for (unsigned left = now; left != 0; left &= left - 1) {
        push(tile.item(static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1)), overflow);
      }
    }
  }

  // Called by all threads of the block, outside all branches.
  __device__ void clear() const {
    __syncthreads();
    if (threadIdx.x <= kLower) counts[threadIdx.x] = 0;
    __syncthreads();
  }

  // Returns the entries of the fullest lower queue. Called by all threads of the block.
  __device__ std::uint32_t fullest() const {
    __syncthreads();
    std::uint32_t most = 0;
    for (unsigned q = 0; q < kLower; ++q) most = max(most, counts[q]);
    __syncthreads();
    return most;
  }

  // Moves everything to the end of `queue`, whose length is `*queued`. Called by all threads of the
  // block.
  __device__ void flush(vertex_t* queue, std::uint32_t* queued) {
    __syncthreads();
    std::uint32_t before[kLower + 1] = {};
#pragma unroll
    for (unsigned q = 0; q < kLower; ++q) before[q + 1] = before[q] + min(counts[q], each);
    const std::uint32_t all = before[kLower];
    if (threadIdx.x == 0 && all > 0) {
      counts[kLower] = atomicAdd(queued, all);
      ++atomics;
    }
    __syncthreads();
    const std::uint32_t base = counts[kLower];
    for (std::uint32_t i = threadIdx.x; i < all; i += blockDim.x) {
      unsigned q = 0;
#pragma unroll
      for (unsigned k = 1; k < kLower; ++k) q += i >= before[k] ? 1 : 0;
      std::uint32_t start = 0;
#pragma unroll
      for (unsigned k = 0; k < kLower; ++k) start = k == q ? before[k] : start;
      queue[base + i] = entries[q * each + (i - start)];
    }
    clear();
  }
};

// Single-scan gathering through the block's queue. Returns whether the block had statuses to scan;
// `lower` counts the atomics. All threads of the grid; the level's queue is there after a barrier
// of the grid.
__device__ inline bool gather_hierarchical(const Items& items, const level_t* levels, level_t level,
                                           const QueueView& queue, std::uint32_t* queued,
                                           HierarchicalQueue& lower, std::uint32_t* overflow) {
  ItemScan scan(items, levels, level);
  for (Tile tile; scan.next(tile);) lower.push_tile(tile, queue.entries, queued, overflow);
  lower.flush(queue.entries, queued);
  return scan.has_begun();
}

}  // namespace bfslab::cuda
