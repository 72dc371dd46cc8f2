// SPDX-License-Identifier: Apache-2.0
// Ways to gather the set elements of a status array into a queue, and nothing else: what Figure 5
// of XBFS compares. xbfs's own kernels (kernels/cuda/frontier/) do more, since they sort
// what they find by degree.
#pragma once

#include <cstddef>

#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/traversal/counted_scan.cuh"

namespace bfslab::cuda {

// A random status array of `size` elements, of which `selectivity` have `wanted`.
struct StatusArray {
  const level_t* levels = nullptr;
  std::size_t size = 0;
  level_t wanted = 0;
};

// The finaliser of splitmix64: decides which elements are set, and makes sums over ids
// distinguish sets that the plain sum of the ids would not.
__host__ __device__ inline unsigned long long mixed(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// How many vertices, and the sum of their mixed ids: the same for the same set in any order.
struct Checksum {
  unsigned long long count = 0;
  unsigned long long sum = 0;
};

inline __global__ void __launch_bounds__(256)
    fill_statuses(level_t* levels, std::size_t size, level_t wanted, level_t other,
                  unsigned long long threshold, Checksum* checksum) {
  Checksum mine;
  for (std::size_t v = thread_in_grid(); v < size; v += threads_in_grid()) {
    const unsigned long long random = mixed(v);
    const bool set = random < threshold;
    levels[v] = set ? wanted : other;
    if (set) ++mine.count, mine.sum += mixed(random);
  }
  add_of_block(mine.count, &checksum->count);
  add_of_block(mine.sum, &checksum->sum);
}

// Sums the hashes of the queue's entries that are set elements.
inline __global__ void __launch_bounds__(256)
    sum_queue(StatusArray array, const vertex_t* queue, const std::uint32_t* queued,
              Checksum* checksum) {
  Checksum mine;
  const std::size_t entries = min(std::size_t{*queued}, array.size);
  for (std::size_t i = thread_in_grid(); i < entries; i += threads_in_grid()) {
    const vertex_t v = queue[i];
    if (v >= array.size || array.levels[v] != array.wanted) continue;
    ++mine.count;
    mine.sum += mixed(mixed(v));
  }
  add_of_block(mine.count, &checksum->count);
  add_of_block(mine.sum, &checksum->sum);
}

// Every vertex has one edge: offsets that xbfs's kernels read a degree from.
inline __global__ void __launch_bounds__(256) fill_offsets(edge_t* row_offsets, std::size_t rows) {
  for (std::size_t v = thread_in_grid(); v < rows; v += threads_in_grid()) row_offsets[v] = v;
}

// One atomic on the queue's end for each set element, as the paper describes its frontier queues.
// add_of_lane keeps the compiler from joining the additions of a warp into one.
inline __global__ void __launch_bounds__(256)
    gather_by_vertex(StatusArray array, vertex_t* queue, std::uint32_t* queued) {
  for (std::size_t v = thread_in_grid(); v < array.size; v += threads_in_grid()) {
    if (array.levels[v] == array.wanted) {
      queue[add_of_lane(queued, 1U)] = static_cast<vertex_t>(v);
    }
  }
}

// One atomic for each 32 elements of which some are set: what the compiler makes of an atomicAdd
// per thread.
inline __global__ void __launch_bounds__(256)
    gather_by_warp(StatusArray array, vertex_t* queue, std::uint32_t* queued) {
  const unsigned lane = lane_id();
  for (std::size_t first = thread_in_grid() - lane; first < array.size;
       first += threads_in_grid()) {
    const std::size_t v = first + lane;
    const bool set = v < array.size && array.levels[v] == array.wanted;
    const unsigned found = __ballot_sync(kAllLanes, set);
    if (found == 0) continue;
    std::uint32_t place = 0;
    if (lane == 0) place = atomicAdd(queued, static_cast<std::uint32_t>(__popc(found)));
    place = __shfl_sync(kAllLanes, place, 0) + __popc(found & lanes_below());
    if (set) queue[place] = static_cast<vertex_t>(v);
  }
}

// One for each 1,024 elements: warps share their counts out in shared memory first.
inline __global__ void __launch_bounds__(256)
    gather_by_block(StatusArray array, vertex_t* queue, std::uint32_t* queued) {
  constexpr int kEach = 4;
  __shared__ std::uint32_t count;
  __shared__ std::uint32_t base;
  const std::size_t tile = std::size_t{blockDim.x} * kEach;
  for (std::size_t first = blockIdx.x * tile; first < array.size; first += gridDim.x * tile) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    bool set[kEach];
    unsigned found[kEach];
    std::uint32_t of_warp = 0;
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const std::size_t v = first + j * blockDim.x + threadIdx.x;
      set[j] = v < array.size && array.levels[v] == array.wanted;
    }
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      found[j] = __ballot_sync(kAllLanes, set[j]);
      of_warp += __popc(found[j]);
    }
    std::uint32_t place = 0;
    if (lane_id() == 0 && of_warp > 0) place = atomicAdd(&count, of_warp);
    place = __shfl_sync(kAllLanes, place, 0);
    __syncthreads();
    if (threadIdx.x == 0 && count > 0) base = atomicAdd(queued, count);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const std::size_t v = first + j * blockDim.x + threadIdx.x;
      if (set[j]) queue[base + place + __popc(found[j] & lanes_below())] = static_cast<vertex_t>(v);
      place += __popc(found[j]);
    }
  }
}

// Prefix sum: each thread counts what it finds in every T-th element, and after a prefix sum over
// the counts of all T threads looks again and writes from its own place on.
inline __global__ void __launch_bounds__(256)
    count_by_thread(StatusArray array, std::uint32_t* counts) {
  std::uint32_t count = 0;
  for (std::size_t v = thread_in_grid(); v < array.size; v += threads_in_grid()) {
    count += array.levels[v] == array.wanted ? 1 : 0;
  }
  counts[thread_in_grid()] = count;
}

inline __global__ void __launch_bounds__(256)
    scatter_by_thread(StatusArray array, const std::uint32_t* counts, const std::uint32_t* offsets,
                      vertex_t* queue, std::uint32_t* queued) {
  std::uint32_t place = offsets[thread_in_grid()];
  if (thread_in_grid() + 1 == threads_in_grid()) *queued = place + counts[thread_in_grid()];
  for (std::size_t v = thread_in_grid(); v < array.size; v += threads_in_grid()) {
    if (array.levels[v] == array.wanted) queue[place++] = static_cast<vertex_t>(v);
  }
}

// xbfs's single scan. Its grid has one thread for four elements, up to the number of resident
// threads.
inline __global__ void __launch_bounds__(256)
    engine_scan(const __grid_constant__ CsrView graph, const __grid_constant__ Items items,
                const level_t* levels, level_t wanted, const __grid_constant__ QueueView queue,
                LevelSlot* slot) {
  gather_by_class(graph, items, levels, wanted, queue, slot, true);
}

// xbfs's prefix sum: `counts` are summed up between the two.
inline __global__ void __launch_bounds__(256)
    engine_count(const __grid_constant__ PrefixScan scan, std::uint32_t* counts, LevelSlot* slot) {
  std::uint32_t own[kDegreeClasses] = {};
  count_wanted<kDegreeClasses>(scan, own, slot);
  keep_counts<kDegreeClasses>(own, counts);
}

inline __global__ void __launch_bounds__(256)
    engine_place(const __grid_constant__ PrefixScan scan, const std::uint32_t* counts,
                 const std::uint32_t* offsets, const __grid_constant__ QueueView queue,
                 LevelSlot* slot) {
  std::uint32_t place[kDegreeClasses];
  take_places<kDegreeClasses>(counts, offsets, place, slot->queued);
  place_wanted<kDegreeClasses>(scan, place, queue);
}

// xbfs's double scan, which gathers what is unvisited, in one class as where no degree sorts it.
inline __global__ void __launch_bounds__(256)
    engine_double_count(const __grid_constant__ DoubleScan scan, std::uint32_t* counts) {
  std::uint32_t own[1] = {};
  scan_segments<1, false>(scan, own, {});
  keep_counts<1>(own, counts);
}

inline __global__ void __launch_bounds__(256)
    engine_double_place(const __grid_constant__ DoubleScan scan, const std::uint32_t* counts,
                        const std::uint32_t* offsets, const __grid_constant__ QueueView queue,
                        std::uint32_t* queued) {
  std::uint32_t own[1];
  take_places<1>(counts, offsets, own, queued);
  scan_segments<1, true>(scan, own, queue);
}

// For CUB's one-pass selection.
struct IsSet {
  StatusArray array;
  __device__ bool operator()(vertex_t v) const { return array.levels[v] == array.wanted; }
};

}  // namespace bfslab::cuda
