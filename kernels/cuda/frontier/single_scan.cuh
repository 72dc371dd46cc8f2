// Single-scan frontier generation (papers/xbfs.txt section 4.1): expansion has marked what it
// found, one scan of all statuses then gathers it by atomics.
//
// Cost: 4n bytes read in order, and for each vertex found 16 bytes of offsets and 4 of queue; one
// global atomic a class and 1,024 statuses that hold some. Wins over scan-free where most statuses
// would need a claim: right before bottom-up.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

// All threads of the grid.
__device__ inline void gather_level(const CsrView& graph, const level_t* levels, level_t level,
                                    const QueueView& queue, LevelSlot* next) {
  constexpr int kEach = 4;
  __shared__ std::uint32_t count[kDegreeClasses];
  __shared__ std::uint32_t base[kDegreeClasses];
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  const std::size_t tile = std::size_t{blockDim.x} * kEach;
  for (std::size_t first = blockIdx.x * tile; first < graph.vertices; first += gridDim.x * tile) {
    const std::size_t mine = first + std::size_t{threadIdx.x} * kEach;
    level_t at[kEach] = {};
    if (mine + kEach <= graph.vertices) {
      const uint4 four = *reinterpret_cast<const uint4*>(levels + mine);
      at[0] = four.x, at[1] = four.y, at[2] = four.z, at[3] = four.w;
    } else {
      for (int j = 0; j < kEach; ++j) at[j] = mine + j < graph.vertices ? levels[mine + j] : ~level;
    }
    bool any = false;
    for (int j = 0; j < kEach; ++j) any |= at[j] == level;
    if (__syncthreads_or(any) == 0) continue;
    if (threadIdx.x < kDegreeClasses) count[threadIdx.x] = 0;
    __syncthreads();
    int of_class[kEach];
    std::uint32_t place[kEach];
    for (int j = 0; j < kEach; ++j) {
      of_class[j] = -1;
      place[j] = 0;
      if (at[j] == level) {
        const edge_t degree = degree_of(graph, static_cast<vertex_t>(mine + j));
        ++vertices;
        edges += degree;
        if (degree > 0) of_class[j] = degree_class(degree);
      }
      for (int c = 0; c < kDegreeClasses; ++c) {
        const unsigned same = __ballot_sync(kAllLanes, of_class[j] == c);
        if (same == 0) continue;
        std::uint32_t start = 0;
        if (lane_id() == 0) {
          start = atomicAdd(&count[c], static_cast<std::uint32_t>(__popc(same)));
        }
        start = __shfl_sync(kAllLanes, start, 0);
        if (of_class[j] == c) place[j] = start + __popc(same & lanes_below());
      }
    }
    __syncthreads();
    if (threadIdx.x < kDegreeClasses && count[threadIdx.x] > 0) {
      base[threadIdx.x] = atomicAdd(&next->queued[threadIdx.x], count[threadIdx.x]);
    }
    __syncthreads();
    for (int j = 0; j < kEach; ++j) {
      if (of_class[j] < 0) continue;
      queue.entries[queue.region[of_class[j]] + base[of_class[j]] + place[j]] =
          static_cast<vertex_t>(mine + j);
    }
  }
  add_of_block(vertices, &next->vertices);
  add_of_block(edges, &next->edges);
}

inline __global__ void __launch_bounds__(256)
    single_scan(CsrView graph, const level_t* levels, level_t level, QueueView queue,
                LevelSlot* next) {
  gather_level(graph, levels, level, queue, next);
}

}  // namespace bfslab::cuda
