// SPDX-License-Identifier: Apache-2.0
// A scan of all statuses, shared by every frontier that is collected by scanning. Warps take runs
// of four items per thread in turns, and four such runs at once, so that a thread waits once for 64
// bytes of statuses. Neighbouring runs go to different blocks: clustered frontiers are spread, and
// with 128 vertices per block every block gets some.
//
// Cost: 4 bytes per item, read in order; for Tigr's virtual vertices 4 more and a gather. A
// multiprocessor has 64 to 128 KB in flight, several times its share of bandwidth times latency.
#pragma once

#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/items.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kRuns = 4;
inline constexpr unsigned kItemsOfRun = 4;
inline constexpr unsigned kItemsEach = kRuns * kItemsOfRun;

// A thread's sixteen items of a tile: bit j of `mask` is set if item(j) is of the level.
struct Tile {
  std::uint32_t first = 0;
  unsigned mask = 0;

  [[nodiscard]] __device__ std::uint32_t item(unsigned j) const {
    return first + j / kItemsOfRun * step() + j % kItemsOfRun;
  }
  // Removes an item of the level from the mask and returns it.
  __device__ std::uint32_t take() {
    const auto j = static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
    mask &= mask - 1;
    return item(j);
  }
  // The distance between two runs of a thread.
  __device__ static unsigned step() { return threads_in_grid() * kItemsOfRun; }
};

class ItemScan {
 public:
  // `items` outlives the scan. `levels`: [n].
  __device__ ItemScan(const Items& items, const level_t* levels, level_t level)
      : items_(items), levels_(levels), level_(level) {}

  // Moves to the block's next tile; returns false, to all its threads, if there is none. Levels
  // that other threads write meanwhile may or may not be seen, but none is this scan's.
  __device__ bool next(Tile& tile) {
    // The first item of the first warp is the block's first.
    if (base_ + std::size_t{blockIdx.x} * 32 * kItemsOfRun >= items_.count) return false;
    const std::size_t warp = std::size_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
    const std::size_t first = base_ + (warp * 32 + lane_id()) * kItemsOfRun;
    base_ += std::size_t{Tile::step()} * kRuns;
    tile.first = static_cast<std::uint32_t>(first);
    tile.mask = items_.vertex == nullptr ? of_vertices(first) : of_items(first);
    return true;
  }

 private:
  // Bypasses L1, which may hold statuses of an earlier level.
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

  // The last vertices, fewer than a run. One thread of the grid has them, in some run.
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

  // A gather with the four items of a run in flight together.
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
