// SPDX-License-Identifier: Apache-2.0
// Counts of the sources of a level of `delegate-cuda` by a thread, and their sums over a block.
#pragma once

#include "kernels/distributed/engines/delegate/gpu_graph.cuh"
#include "kernels/distributed/engines/delegate/level_counts.hpp"
#include "kernels/distributed/engines/delegate/long_rows.cuh"

namespace bfslab::distributed::delegate {

// Adds the block's share of each of several sums to `*total(s)`, by one atomic per block and sum.
// Called by all threads of a block of kLookThreads; `of_warp(s)` is the sum over a warp.
template <unsigned kSums, typename Value, typename OfWarp, typename Total>
__device__ void add_sums_of_block(OfWarp of_warp, Total total) {
  constexpr unsigned kWarps = kLookThreads / 32;
  static_assert(kSums <= kLookThreads);
  __shared__ Value of_warps[kWarps][kSums];
#pragma unroll
  for (unsigned s = 0; s < kSums; ++s) {
    const Value sum = of_warp(s);
    if (lane_id() == 0) of_warps[threadIdx.x / 32][s] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kSums) {
    unsigned long long all = 0;
#pragma unroll
    for (unsigned warp = 0; warp < kWarps; ++warp) all += of_warps[warp][threadIdx.x];
    if (all > 0) atomicAdd(total(threadIdx.x), all);
  }
}

// One thread's counts of a level's sources.
struct LevelSums {
  std::uint32_t frontier[kEdgeClasses] = {};
  std::uint32_t normals = 0;
  std::uint32_t delegates = 0;
  std::uint32_t own_delegates = 0;

  __device__ void add(EdgeClass subgraph, std::uint32_t sources) {
    frontier[static_cast<std::size_t>(subgraph)] += sources;
  }
  // Called by all threads of the block.
  __device__ void add_to(LevelCounts& counts) const {
    if (__syncthreads_or((normals | delegates) != 0 ? 1 : 0) == 0) return;
    constexpr unsigned kClasses = kEdgeClasses;
    static_assert(kClasses == 4);
    const std::uint32_t mine[] = {frontier[0], frontier[1], frontier[2],  frontier[3],
                                  normals,     delegates,   own_delegates};
    add_sums_of_block<kClasses + 3, std::uint32_t>(
        [&mine](unsigned s) {
#if __CUDA_ARCH__ >= 800
          return __reduce_add_sync(kAllLanes, mine[s]);
#else
          return static_cast<std::uint32_t>(cuda::sum_of_warp(mine[s]));
#endif
        },
        [&counts](unsigned s) {
          return s < kClasses        ? &counts.frontier[s]
                 : s == kClasses     ? &counts.normals
                 : s == kClasses + 1 ? &counts.delegates
                                     : &counts.own_delegates;
        });
  }
};

// One thread's sums of their edges.
struct EdgeSums {
  unsigned long long forward[kEdgeClasses] = {};

  // Adds the degrees of those of `kCount` rows that have a bit in `there`. All rows are asked for
  // before the first is awaited: a condition would be a branch and a wait.
  template <typename Column, int kCount>
  __device__ void add(EdgeClass subgraph, const EitherView<Column>& graph,
                      const local_vertex_t (&rows)[kCount], unsigned there) {
    const EitherOffsets offsets = graph.row_offsets;
    std::uint64_t degrees[kCount];
#pragma unroll
    for (int t = 0; t < kCount; ++t) degrees[t] = offsets.degree(rows[t]);
#pragma unroll
    for (int t = 0; t < kCount; ++t) {
      forward[static_cast<std::size_t>(subgraph)] += (there >> t & 1U) != 0 ? degrees[t] : 0;
    }
  }
  // Called by all threads of the block.
  __device__ void add_to(LevelCounts& counts) const {
    unsigned long long any = 0;
    for (const unsigned long long each : forward) any |= each;
    if (__syncthreads_or(any != 0 ? 1 : 0) == 0) return;
    add_sums_of_block<kEdgeClasses, unsigned long long>(
        [this](unsigned s) {
          return __any_sync(kAllLanes, forward[s] != 0) != 0 ? cuda::sum_of_warp(forward[s]) : 0;
        },
        [&counts](unsigned s) { return &counts.forward[s]; });
  }
};

}  // namespace bfslab::distributed::delegate
