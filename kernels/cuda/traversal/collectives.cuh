// SPDX-License-Identifier: Apache-2.0
// Sums and counted appends of a warp, a block and a cooperative grid. They are tools of the
// techniques. Levels that the host launches kernel by kernel use CUB's scans between kernels; CUB's
// block scan needs the block size at compile time.
//
// Cost of a sum over the grid: one barrier of the grid, and classes x blocks counts that are
// written once and read by every block.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/queues.hpp"

namespace bfslab::cuda {

// `Graph` has row_offsets and columns of any width, as CsrView has.
template <typename Graph>
__device__ __forceinline__ edge_t degree_of(const Graph& graph, vertex_t v) {
  return graph.row_offsets[v + std::size_t{1}] - graph.row_offsets[v];
}

// Called by all threads of a cooperative grid.
__device__ inline void barrier_of_grid() {
  stress_pause();
  cooperative_groups::this_grid().sync();
  stress_pause();
}

// --- Sums. Called by all lanes of the warp, or all threads of the block (at most 32 whole warps).

__device__ inline unsigned long long sum_of_warp(unsigned long long value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

__device__ inline unsigned bits_of_warp(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kAllLanes, bits);
#else
  for (int step = 16; step > 0; step /= 2) bits |= __shfl_xor_sync(kAllLanes, bits, step);
  return bits;
#endif
}

// Returns the sum of the values of this lane and the lanes before it.
template <typename T>
__device__ T inclusive_of_warp(T value) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(kAllLanes, value, step);
    if (lane_id() >= step) value += other;
  }
  return value;
}

// Sums `value` over the block and adds the sum to `total`, with one atomic per block.
__device__ inline void add_of_block(unsigned long long value, unsigned long long* total) {
  __shared__ unsigned long long of_warp[32];
  const unsigned long long sum = sum_of_warp(value);
  if (lane_id() == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const unsigned warps = (blockDim.x + 31) / 32;
    const unsigned long long all = sum_of_warp(threadIdx.x < warps ? of_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0 && all > 0) atomicAdd(total, all);
  }
  __syncthreads();  // of_warp may be used again at once
}

// Adds the block's share of each of several sums to `*total(s)`, by one atomic per block and sum.
// Called by all threads of a block of kWarps warps; `of_warp(s)` is the sum over a warp.
template <unsigned kWarps, unsigned kSums, typename Value, typename OfWarp, typename Total>
__device__ void add_sums_of_block(OfWarp of_warp, Total total) {
  static_assert(kSums <= kWarps * 32);
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

// Returns the sum of the values of the threads before this one; `total` gets the sum of all.
template <typename T>
__device__ T exclusive_of_block(T value, T& total) {
  __shared__ T of_warp[32];
  const T upto = inclusive_of_warp(value);
  if (lane_id() == 31) of_warp[threadIdx.x / 32] = upto;
  __syncthreads();
  if (threadIdx.x < 32) {
    of_warp[threadIdx.x] =
        inclusive_of_warp(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : T{0});
  }
  __syncthreads();
  total = of_warp[blockDim.x / 32 - 1];
  const T before = threadIdx.x < 32 ? T{0} : of_warp[threadIdx.x / 32 - 1];
  __syncthreads();  // of_warp may be used again at once
  return before + upto - value;
}

// Replaces every thread's counts by the sums of those before it, with threads in order of blocks.
// `sums`: [kClasses * blocks] of scratch. `totals` gets the sums over all threads, readable after
// the next barrier of the grid. Called by all threads of a cooperative grid.
template <int kClasses>
__device__ void exclusive_of_grid(std::uint32_t (&own)[kClasses], std::uint32_t* sums,
                                  std::uint32_t* totals) {
  std::uint32_t of_block[kClasses];
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    own[c] = exclusive_of_block(own[c], of_block[c]);
    if (threadIdx.x == 0) sums[c * gridDim.x + blockIdx.x] = of_block[c];
  }
  barrier_of_grid();
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    std::uint32_t part = 0;
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += blockDim.x) {
      part += sums[c * gridDim.x + b];
    }
    std::uint32_t before = 0;
    exclusive_of_block(part, before);
    own[c] += before;
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) totals[c] = before + of_block[c];
  }
}

// --- Counted appends: places at the end of a list of `*count` entries.

// One atomic per active lane, as written. A compiler that sees lanes share an address would join
// their atomics. An offset that is always 0 hides this.
__device__ inline std::uint32_t add_of_lane(std::uint32_t* count, std::uint32_t value) {
  const unsigned nothing = threadIdx.x * (threadIdx.x + 1) % 2;
  return atomicAdd(count + nothing, value);
}

// Returns a place for each active lane, by one atomic for all of them or by one per lane.
__device__ inline std::uint32_t append_place(std::uint32_t* count, bool one_atomic_a_lane = false) {
  if (one_atomic_a_lane) return add_of_lane(count, 1);
  const unsigned here = __activemask();
  const int leader = __ffs(static_cast<int>(here)) - 1;
  std::uint32_t base = 0;
  if (static_cast<int>(lane_id()) == leader) {
    base = atomicAdd(count, static_cast<std::uint32_t>(__popc(here)));
  }
  base = __shfl_sync(here, base, leader);
  return base + __popc(here & lanes_below());
}

// Returns the first of a lane's `own_count` places, by one atomic of the warp. Called by all its
// lanes.
__device__ inline std::uint32_t places_of_warp(std::uint32_t* count, std::uint32_t own_count) {
  if (__any_sync(kAllLanes, own_count != 0) == 0) return 0;
  const std::uint32_t upto = inclusive_of_warp(own_count);
  std::uint32_t base = 0;
  if (lane_id() == 31) base = add_of_lane(count, upto);
  return __shfl_sync(kAllLanes, base, 31) + upto - own_count;
}

// Appends v to its class's region, for the active lanes together: one atomic per class among them
// (XBFS, section 4.1: atomics in place of a prefix sum). `queued`: [kDegreeClasses].
__device__ inline void append_by_class(const QueueView& queue, std::uint32_t* queued, int of_class,
                                       vertex_t v) {
  const unsigned here = __activemask();
  const unsigned peers = __match_any_sync(here, of_class);
  const int leader = __ffs(static_cast<int>(peers)) - 1;
  std::uint32_t base = 0;
  if (static_cast<int>(lane_id()) == leader) {
    base = atomicAdd(&queued[of_class], static_cast<std::uint32_t>(__popc(peers)));
  }
  base = __shfl_sync(peers, base, leader);
  stress_pause();
  queue.entries[queue.region[of_class] + base + __popc(peers & lanes_below())] = v;
}

// The way that entries enter a queue.
struct EnqueueBy {
  bool degree_class = false;         // one region each; vertices without edges enter none
  bool one_atomic_a_vertex = false;  // else one for the active lanes of a warp
};

// Appends v to the queue, for the active lanes.
__device__ inline void enqueue(const CsrView& graph, const QueueView& queue, std::uint32_t* queued,
                               vertex_t v, EnqueueBy by) {
  int of_class = 0;
  if (by.degree_class) {
    const edge_t degree = degree_of(graph, v);
    if (degree == 0) return;
    of_class = degree_class(degree);
  }
  if (by.degree_class && !by.one_atomic_a_vertex) {
    append_by_class(queue, queued, of_class, v);
  } else {
    const std::uint32_t at = append_place(&queued[of_class], by.one_atomic_a_vertex);
    stress_pause();
    queue.entries[queue.region[of_class] + at] = v;
  }
}

}  // namespace bfslab::cuda
