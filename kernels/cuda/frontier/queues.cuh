// The materialised frontier: vertex queues by degree class, what a level tells the host of the next
// one, and how lanes append together.
//
// A queue is one array of n entries, cut into a region a class (or into one region). A vertex
// enters a level's queue at most once, so a region of as many entries as the graph has vertices of
// the class never overflows.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/frontier/degree_class.hpp"

namespace bfslab::cuda {

struct QueueView {
  vertex_t* entries = nullptr;
  std::uint32_t region[kDegreeClasses] = {};  // where each class begins
};

// Of one level: how its frontier came out. Four of them rotate: while level l runs, that of l is
// read, those of l + 1 and (early finds) l + 2 are added to, and that of l + 3 is cleared.
struct LevelSlot {
  std::uint32_t queued[kDegreeClasses] = {};  // entries of the queue, by class
  std::uint32_t ticket = 0;                   // dynamic balance: the next entry to hand out
  unsigned long long vertices = 0;            // found by the level before
  unsigned long long edges = 0;               // and their out-degrees
  unsigned long long early_vertices = 0;      // found two levels before (Lemma 2)
  unsigned long long early_edges = 0;
  unsigned long long checked = 0;  // adjacency entries that bottom-up read; counted on request
};
inline constexpr unsigned kSlots = 4;

#ifdef __CUDACC__

constexpr unsigned kAllLanes = 0xffffffffU;

__device__ inline unsigned lane_id() { return threadIdx.x & 31U; }
__device__ inline unsigned lanes_below() { return (1U << lane_id()) - 1; }
__device__ inline unsigned thread_in_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline unsigned threads_in_grid() { return gridDim.x * blockDim.x; }

__device__ inline edge_t degree_of(const CsrView& graph, vertex_t v) {
  return graph.row_offsets[v + std::size_t{1}] - graph.row_offsets[v];
}

// Appends v, by whichever lanes are here together: one atomic a class among them (papers/xbfs.txt
// section 4.1: atomics in place of a prefix sum).
__device__ inline void append(const QueueView& queue, std::uint32_t* queued, int of_class,
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

// One atomic for each lane that is here, as it is written. Where the compiler sees that lanes share
// an address it joins their atomics by itself; the sum is nothing, and hides from it that they do.
__device__ inline std::uint32_t add_of_lane(std::uint32_t* count, std::uint32_t value) {
  const unsigned nothing = threadIdx.x * (threadIdx.x + 1) % 2;
  return atomicAdd(count + nothing, value);
}

// A place at the end of a list of `*count` entries for each lane that is here: by one atomic among
// the lanes that are here together, or by one a lane.
__device__ inline std::uint32_t append_place(std::uint32_t* count, bool one_atomic_a_lane) {
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

__device__ inline unsigned long long sum_of_warp(unsigned long long value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

// Adds up what each thread of a block has, and adds the block's sum to `total`: one atomic a block.
// All threads of the block call it; at most 32 warps.
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

#endif

}  // namespace bfslab::cuda
