// SPDX-License-Identifier: Apache-2.0
// The number of edges before each entry of a frontier, and the entry that has a given edge.
// Expansions by equal shares of edges use them to cut the frontier.
//
// Cost: 4 bytes of queue and 16 of offsets per entry; 24 more for sums that are written, raised and
// read, and two barriers of the grid. A frontier of at most two entries per thread of a block takes
// no barrier of the grid: every block sums it for itself, in shared memory. Two barriers cost 2 us
// on an H200, as much as reading such a frontier.
#pragma once

#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

// Sets before[i], for i in [begin, end), to the sum of the degrees of entries begin, ... i - 1, and
// returns the sum of all of them. Called by all threads of the block.
template <typename Graph>
__device__ inline edge_t sum_degrees_of_block(const Graph& graph, const vertex_t* entries,
                                              std::size_t begin, std::size_t end, edge_t* before) {
  constexpr unsigned kEach = 4;
  edge_t sum = 0;
  for (std::size_t tile = begin; tile < end; tile += std::size_t{blockDim.x} * kEach) {
    const std::size_t first = tile + threadIdx.x * kEach;
    edge_t degree[kEach];
    edge_t own_sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      degree[j] = first + j < end ? degree_of(graph, entries[first + j]) : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) own_sum += degree[j];
    edge_t of_tile = 0;
    edge_t upto = sum + exclusive_of_block(own_sum, of_tile);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      if (first + j < end) before[first + j] = upto;
      upto += degree[j];
    }
    sum += of_tile;
  }
  return sum;
}

// The sums of a block, for few entries: one array for all graphs of a kernel.
inline constexpr unsigned kMaxSummedByBlock = 2 * 1024;
__device__ inline edge_t* sums_of_block() {
  __shared__ edge_t sums[kMaxSummedByBlock + 1];
  return sums;
}

struct GridBarrier {
  __device__ void operator()() const { barrier_of_grid(); }
};

// Returns before[count + 1]: the degrees of the entries that come before each, and of all. It lies
// in shared memory or in scratch.edges_before. Called by all threads of the grid, once per level.
// `barrier`: of these threads.
template <typename Graph, typename Barrier = GridBarrier>
__device__ inline const edge_t* sum_degrees(const Graph& graph, const ExpandScratch& scratch,
                                            const vertex_t* entries, std::uint32_t count,
                                            Barrier barrier = {}) {
  edge_t* const sums = sums_of_block();
  if (count <= 2 * blockDim.x) {
    const edge_t all = sum_degrees_of_block(graph, entries, 0, count, sums);
    if (threadIdx.x == 0) sums[count] = all;
    __syncthreads();
    return sums;
  }
  edge_t* const before = scratch.edges_before;
  const std::size_t run = (std::size_t{count} + gridDim.x - 1) / gridDim.x;
  const std::size_t begin = min(std::size_t{count}, blockIdx.x * run);
  const std::size_t end = min(std::size_t{count}, begin + run);
  const edge_t own = sum_degrees_of_block(graph, entries, begin, end, before);
  if (threadIdx.x == 0) scratch.block_edges[blockIdx.x] = own;
  barrier();
  edge_t part = 0;
  for (unsigned b = threadIdx.x; b < blockIdx.x; b += blockDim.x) part += scratch.block_edges[b];
  edge_t of_blocks = 0;
  exclusive_of_block(part, of_blocks);
  for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) before[i] += of_blocks;
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) before[count] = of_blocks + own;
  barrier();
  return before;
}

// Returns the last entry i whose place, before[i] + weight * i, is not after `at`. The lanes of a
// warp search together, 32 places at once: five steps for 33 million entries, not 25.
__device__ inline std::uint32_t entry_at(const edge_t* before, std::uint32_t count, unsigned weight,
                                         edge_t at) {
  std::uint32_t low = 0;       // its place is not after `at`
  std::uint32_t high = count;  // its place is after `at`, or it does not exist
  while (high - low > 1) {
    const std::uint32_t step = (high - low - 1) / 32 + 1;
    const std::size_t probe = low + std::size_t{step} * lane_id();
    const bool passed = probe < high && before[probe] + weight * probe <= at;
    const unsigned ahead = __ballot_sync(kAllLanes, passed);  // lane 0 looks at `low`
    low += step * (31U - static_cast<unsigned>(__clz(static_cast<int>(ahead))));
    high = min(high - low, step) + low;
  }
  return low;
}

}  // namespace bfslab::cuda
