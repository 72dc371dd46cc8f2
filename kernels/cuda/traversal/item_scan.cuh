// SPDX-License-Identifier: Apache-2.0
// One look at all statuses, shared by every frontier that is collected by scanning. A thread has
// sixteen statuses in flight at a time, its tile. Items are dealt out in one of two layouts:
//
//   interleaved  warps take runs of four consecutive items per thread in turns, and neighbouring
//                runs go to different blocks. A frontier of consecutive ids is shared out, and a
//                graph of 128 vertices per block gives every block some.
//   by block     block b takes the ids [b * blockDim.x, (b + 1) * blockDim.x), one per thread, then
//                the same range one grid further on (DFQ, sections V.B and V.C: "the thread's block
//                ID"). A graph of 14,000 vertices occupies 14 blocks of 1,024 threads.
//
// With 2 blocks of 64 threads, item 5 belongs to block 0, thread 1 if interleaved and to block 0,
// thread 5 by block; item 130 belongs to block 1, thread 0 and to block 0, thread 2.
//
// Cost: 4 bytes per item, read in order; for Tigr's virtual vertices 4 more and a gather. A
// multiprocessor has 64 to 128 KB in flight, several times what its share of the memory's bandwidth
// and latency asks for.
#pragma once

#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kRuns = 4;
inline constexpr unsigned kItemsOfRun = 4;
inline constexpr unsigned kItemsEach = kRuns * kItemsOfRun;

// A thread's sixteen items: bit j of `mask` says that item(j) is of the level.
struct Tile {
  std::uint32_t first = 0;
  unsigned mask = 0;
  unsigned run_bits = 2;  // log2 of the consecutive items of a run: 2 interleaved, 0 by block

  [[nodiscard]] __device__ std::uint32_t item(unsigned j) const {
    return first + (j >> run_bits) * (threads_in_grid() << run_bits) + (j & ((1U << run_bits) - 1));
  }
  [[nodiscard]] __device__ bool has(unsigned j) const { return (mask >> j & 1U) != 0; }
  // Takes an item that is of the level out of the mask, and returns it.
  __device__ std::uint32_t take() {
    const auto j = static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
    mask &= mask - 1;
    return item(j);
  }
  // The distance from one interleaved run of a thread to its next.
  __device__ static unsigned step() { return threads_in_grid() * kItemsOfRun; }
};

// The counts of a thread while its block collects a level's frontier.
struct CollectTally {
  std::uint32_t atomics = 0;  // this thread's additions to the sizes of queues
  bool scanned = false;       // the block had statuses to scan

  // Adds the counts to the level's slot. Called by all threads of the block.
  __device__ void add_to(LevelSlot* slot) const {
    add_of_block(atomics, &slot->queue_atomics);
    if (threadIdx.x == 0 && scanned) atomicAdd(&slot->scanning_blocks, 1U);
  }
};

class ItemScan {
 public:
  // `items` outlives the scan. `levels`: [n].
  __device__ ItemScan(const Items& items, const level_t* levels, level_t level)
      : items_(items), levels_(levels), level_(level) {}

  // Reads the block's next tile. Returns false if there is none, alike for all its threads; warps
  // of a block may be at different tiles. Other threads may write later levels meanwhile. Whether
  // the scan sees these changes nothing, since it takes only items of its own level.
  __device__ bool next(Tile& tile) {
    if (items_.by_block) return next_by_block(tile);
    // Its first warp's first item is the block's first.
    if (base_ + std::size_t{blockIdx.x} * 32 * kItemsOfRun >= items_.count) return false;
    const std::size_t warp = std::size_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
    const std::size_t first = base_ + (warp * 32 + lane_id()) * kItemsOfRun;
    base_ += std::size_t{Tile::step()} * kRuns;
    tile.first = static_cast<std::uint32_t>(first);
    tile.mask = items_.vertex == nullptr ? of_vertices(first) : of_items(first);
    tile.run_bits = 2;
    return true;
  }

  // Returns whether the block has had a tile.
  [[nodiscard]] __device__ bool has_begun() const { return base_ > 0; }

 private:
  __device__ bool next_by_block(Tile& tile) {
    const std::size_t first = base_ + std::size_t{blockIdx.x} * blockDim.x;
    if (first >= items_.count) return false;
    base_ += std::size_t{threads_in_grid()} * kItemsEach;
    tile = {static_cast<std::uint32_t>(first + threadIdx.x), 0, 0};
    // Four of the sixteen are read at a time.
#pragma unroll 1
    for (unsigned j = 0; j < kItemsEach; j += kItemsOfRun) {
      vertex_t vertex[kItemsOfRun];
      level_t at_level[kItemsOfRun];
#pragma unroll
      for (unsigned k = 0; k < kItemsOfRun; ++k) {
        const std::size_t at = first + threadIdx.x + std::size_t{j + k} * threads_in_grid();
        vertex[k] = at >= items_.count         ? kNoVertex
                    : items_.vertex == nullptr ? static_cast<vertex_t>(at)
                                               : items_.vertex[at];
      }
#pragma unroll
      for (unsigned k = 0; k < kItemsOfRun; ++k) {
        at_level[k] = vertex[k] != kNoVertex ? __ldcg(levels_ + vertex[k]) : ~level_;
      }
#pragma unroll
      for (unsigned k = 0; k < kItemsOfRun; ++k) {
        tile.mask |= (at_level[k] == level_ ? 1U : 0U) << (j + k);
      }
    }
    return true;
  }

  // Never from L1, which may hold values one level old.
  __device__ unsigned of_vertices(std::size_t first) const {
    const std::uint32_t whole = items_.count / kItemsOfRun * kItemsOfRun;
    const auto left = static_cast<std::uint32_t>(first < whole ? whole - first : 0);
    const level_t* const levels = levels_ + first;
    uint4 run[kRuns];
#pragma unroll
    for (unsigned r = 0; r < kRuns; ++r) {
      run[r] = r * Tile::step() < left
                   ? __ldcg(reinterpret_cast<const uint4*>(levels + r * Tile::step()))
                   : make_uint4(~level_, ~level_, ~level_, ~level_);
    }
    unsigned mask = 0;
#pragma unroll
    for (unsigned r = 0; r < kRuns; ++r) {
      mask |= (run[r].x == level_ ? 1U : 0U) << (r * kItemsOfRun);
      mask |= (run[r].y == level_ ? 2U : 0U) << (r * kItemsOfRun);
      mask |= (run[r].z == level_ ? 4U : 0U) << (r * kItemsOfRun);
      mask |= (run[r].w == level_ ? 8U : 0U) << (r * kItemsOfRun);
    }
    return whole < items_.count && first <= whole ? mask | of_last(first, whole) : mask;
  }

  // The last vertices, fewer than a run has: they belong to one thread of the grid, in some run.
  __device__ unsigned of_last(std::size_t first, std::uint32_t whole) const {
    unsigned mask = 0;
#pragma unroll 1
    for (unsigned r = 0; r < kRuns; ++r) {
      if (first + r * std::size_t{Tile::step()} != whole) continue;
#pragma unroll 1
      for (std::uint32_t v = whole; v < items_.count; ++v) {
        if (__ldcg(levels_ + v) == level_) mask |= 1U << (r * kItemsOfRun + v - whole);
      }
    }
    return mask;
  }

  // A gather: the four loads of a run overlap.
  __device__ unsigned of_items(std::size_t first) const {
    const std::size_t count = items_.count;
    unsigned mask = 0;
#pragma unroll 1
    for (unsigned r = 0; r < kRuns; ++r) {
      const std::size_t at = first + r * std::size_t{Tile::step()};
      vertex_t vertex[kItemsOfRun];
#pragma unroll
      for (unsigned j = 0; j < kItemsOfRun; ++j) {
        vertex[j] = at + j < count ? items_.vertex[at + j] : kNoVertex;
      }
      level_t at_level[kItemsOfRun];
#pragma unroll
      for (unsigned j = 0; j < kItemsOfRun; ++j) {
        at_level[j] = vertex[j] != kNoVertex ? __ldcg(levels_ + vertex[j]) : ~level_;
      }
#pragma unroll
      for (unsigned j = 0; j < kItemsOfRun; ++j) {
        mask |= (at_level[j] == level_ ? 1U : 0U) << (r * kItemsOfRun + j);
      }
    }
    return mask;
  }

  const Items& items_;
  const level_t* levels_;
  level_t level_;
  std::size_t base_ = 0;  // the first item of the grid's next tiles
};

}  // namespace bfslab::cuda
