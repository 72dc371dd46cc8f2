// SPDX-License-Identifier: Apache-2.0
// The shared memory of a block of `delegate-cuda` that looks backward, and the rows that warps
// leave to the block or to all blocks.
#pragma once

#include <cstdint>

#include "kernels/cuda/expand/degree_sums.cuh"
#include "kernels/cuda/traversal/append_bits.cuh"
#include "kernels/distributed/engines/delegate/gpu_graph.cuh"

namespace bfslab::distributed::delegate {

inline constexpr unsigned kLookThreads = 256;  // of a block that looks backward

// The part of a row that is not looked through yet.
struct alignas(16) RestOfRow {
  local_vertex_t vertex = 0;
  std::uint32_t left = 0;  // entries: a row has fewer than 2^31
  std::uint64_t begin = 0;
};

// Rows of dd and dn with more entries than this are too long for a block alone, in which each turn
// of some thousand entries waits for memory.
inline constexpr std::uint32_t kLongRow = 1U << 16;

// The delegates that have such rows.
struct LongRows {
  const local_vertex_t* delegates = nullptr;
  std::uint32_t count = 0;

  // Returns true if the thread's share of them, in a block of kLookThreads, has one without a bit
  // in `visited`.
  [[nodiscard]] __device__ bool any_open(const std::uint32_t* visited) const {
    bool open = false;
    for (std::uint32_t i = threadIdx.x; i < count; i += kLookThreads) {
      const local_vertex_t u = delegates[i];
      open = open || (fresh(visited + u / 32) >> u % 32 & 1U) == 0;
    }
    return open;
  }
};

// The list where a visit leaves its long rows to all blocks together (look_at_left).
struct LeftRows {
  RestOfRow* rows = nullptr;       // [LongRows::count]; null: blocks keep theirs
  std::uint32_t* count = nullptr;  // 0 before

  [[nodiscard]] __device__ bool takes(const RestOfRow& rest) const {
    return rows != nullptr && rest.left > kLongRow;
  }
  __device__ void leave(const RestOfRow& rest) const { rows[atomicAdd(count, 1U)] = rest; }
};

// Shared memory of a block of kLookThreads, for backward visits and the beginning of a level.
struct LookSpace {
  static constexpr unsigned kWarps = kLookThreads / 32;
  static constexpr unsigned kMaxRows = 64;

  std::uint32_t words[kWarps][128];
  RestOfRow rows[kMaxRows];
  unsigned listed;
};

// Declared as raw bytes, since RestOfRow has a constructor.
__device__ inline LookSpace& look_space() {
  __shared__ alignas(16) std::byte space[sizeof(LookSpace)];
  return *reinterpret_cast<LookSpace*>(space);
}

__device__ inline std::uint32_t* words_of_warp() { return look_space().words[threadIdx.x / 32]; }

// Returns room for cuda::kPlaces places of each warp. It is the shared memory where forward visits
// have their sums of degrees, since shared memory is taken from the level-1 cache. A barrier of the
// block comes before and after each forward visit.
__device__ inline std::uint16_t* places_of_warp() {
  static_assert(sizeof(edge_t) * cuda::kMaxSummedByBlock >=
                sizeof(std::uint16_t) * cuda::kPlaces * LookSpace::kWarps);
  return reinterpret_cast<std::uint16_t*>(cuda::sums_of_block()) + threadIdx.x / 32 * cuda::kPlaces;
}

}  // namespace bfslab::distributed::delegate
