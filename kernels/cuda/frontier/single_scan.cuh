// SPDX-License-Identifier: Apache-2.0
// Single-scan frontier generation (XBFS, section 4.1; the central queue BASE of DFQ, sections II.B
// and V.A). The expansion has marked its finds; one scan of all statuses then gathers them by
// atomics, into one region or by degree class.
//
// Cost: 4n bytes read in order, and 4 of queue per vertex found. Also an atomic per vertex found,
// or per warp and tile of 512 statuses with finds, which contends up to 32 times less. By degree
// class also 16 bytes of offsets per vertex found, and one atomic per class. Wins over scan-free
// where most statuses would need a claim: right before bottom-up.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/item_scan.cuh"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

// Counts of a thread's scan, on request.
struct ScanTally {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
};

// Appends the tile's items to a queue in one region. Returns the number of this thread's atomics.
// Called by all threads of the block.
__device__ inline std::uint32_t enqueue_tile(Tile& tile, const QueueView& queue,
                                             std::uint32_t* queued, bool one_atomic_a_vertex) {
  const auto items = static_cast<std::uint32_t>(__popc(tile.mask));
  std::uint32_t atomics = items;
  std::uint32_t at = 0;
  if (!one_atomic_a_vertex) {
    at = places_of_warp(queued, items);
    atomics = lane_id() == 31 && at + items != 0 ? 1 : 0;
  }
  while (tile.mask != 0) {
    const std::uint32_t item = tile.take();
    if (one_atomic_a_vertex) at = add_of_lane(queued, 1);
    stress_pause();
    queue.entries[at++] = item;
  }
  return atomics;
}

// Appends each of the tile's vertices to its class's region; those without edges are only tallied.
// Four degrees are in flight at once. Called by all threads of the block.
__device__ inline void enqueue_tile_by_class(const CsrView& graph, Tile tile,
                                             const QueueView& queue, std::uint32_t* queued,
                                             ScanTally& tally) {
  constexpr int kAtOnce = 4;
  if (__any_sync(kAllLanes, tile.mask != 0) == 0) return;
  unsigned of_class[kDegreeClasses] = {};  // bit j: the tile's item(j)
  for (unsigned left = tile.mask; left != 0;) {
    unsigned bit[kAtOnce];
    edge_t degree[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      bit[k] = left & (~left + 1);
      left &= left - 1;
      degree[k] = 0;
      if (bit[k] != 0) {
        degree[k] =
            degree_of(graph, tile.item(static_cast<unsigned>(__ffs(static_cast<int>(bit[k])) - 1)));
      }
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      tally.edges += degree[k];
      if (degree[k] == 0) continue;
      const int wanted = degree_class(degree[k]);
#pragma unroll
      for (int c = 0; c < kDegreeClasses; ++c) of_class[c] |= c == wanted ? bit[k] : 0;
    }
  }
  tally.vertices += static_cast<unsigned>(__popc(tile.mask));
  __syncwarp();
  // Reserves the warp's places in all classes by one round of atomics, one class per lane.
  std::uint32_t upto[kDegreeClasses];
  std::uint32_t own_class = 0;
#pragma unroll
  for (int c = 0; c < kDegreeClasses; ++c) {
    upto[c] = inclusive_of_warp(static_cast<std::uint32_t>(__popc(of_class[c])));
    const std::uint32_t all = __shfl_sync(kAllLanes, upto[c], 31);
    if (lane_id() == static_cast<unsigned>(c)) own_class = all;
  }
  std::uint32_t base = 0;
  if (lane_id() < kDegreeClasses && own_class > 0) {
    base = atomicAdd(&queued[lane_id()], own_class);
  }
#pragma unroll
  for (int c = 0; c < kDegreeClasses; ++c) {
    std::uint32_t at =
        __shfl_sync(kAllLanes, base, c) + upto[c] - static_cast<std::uint32_t>(__popc(of_class[c]));
    for (Tile class_tile{tile.first, of_class[c], tile.run_bits}; class_tile.mask != 0;) {
      stress_pause();
      queue.entries[queue.region[c] + at++] = class_tile.take();
    }
  }
}

// Gathers the vertices of `level` into its queue by class; the slot gets their number and their
// degrees. Called by all threads of the grid; the queue is complete after a barrier of the grid.
__device__ inline void gather_by_class(const CsrView& graph, const Items& items,
                                       const level_t* levels, level_t level, const QueueView& queue,
                                       LevelSlot* slot, bool tallies) {
  ItemScan scan(items, levels, level);
  ScanTally tally;
  for (Tile tile; scan.next(tile);) {
    enqueue_tile_by_class(graph, tile, queue, slot->queued, tally);
  }
  if (!tallies) return;
  add_of_block(tally.vertices, &slot->vertices);
  add_of_block(tally.edges, &slot->edges);
}

// Gathers the items of `level` into its queue in one region. All threads of the grid; the queue is
// there after a barrier of the grid.
__device__ inline CollectTally gather_whole(const Items& items, const level_t* levels,
                                            level_t level, const QueueView& queue,
                                            std::uint32_t* queued, bool one_atomic_a_vertex) {
  ItemScan scan(items, levels, level);
  CollectTally tally;
  for (Tile tile; scan.next(tile);) {
    tally.atomics += enqueue_tile(tile, queue, queued, one_atomic_a_vertex);
  }
  tally.scanned = scan.has_begun();
  return tally;
}

}  // namespace bfslab::cuda
