// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/answer.hpp"

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/meeting.cuh"

namespace bfslab::distributed::fused {

namespace {

using cuda::blocks_for;
using cuda::kBlockThreads;
using cuda::of_peer;

// Returns whether the levels fit bytes, and so are copied.
__device__ bool copies_levels(const AnswerMap& map) {
  return map.all_levels != nullptr && *map.level_at_end + 1 < cuda::kPackedUnreached;
}

// Copies 16 bytes at a time of what other members have, in order.
__device__ void copy_words(const void* from, void* to, std::uint64_t bytes) {
  for (std::uint64_t i = cuda::grid_thread(); i < bytes / sizeof(uint4);
       i += cuda::grid_threads()) {
    reinterpret_cast<uint4*>(to)[i] = __ldcv(reinterpret_cast<const uint4*>(from) + i);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    copy_answers(const __grid_constant__ AnswerMap map) {
  const bool with_levels = copies_levels(map);
  for (unsigned i = 0; i < map.members; ++i) {
    const unsigned m = (map.me + i) % map.members;  // no two members read the same one at once
    const std::uint64_t begin = std::uint64_t{m} * map.numbers;
    if (with_levels) copy_words(map.packed_of[m], map.all_levels + begin, map.numbers);
    if (map.all_parents == nullptr) continue;
    copy_words(map.parents_of[m], map.all_parents + begin, map.numbers * sizeof(vertex_t));
  }
}

__device__ level_t level_of_byte(std::uint8_t byte) {
  return byte == cuda::kPackedUnreached ? kUnreached : byte;
}

__global__ void __launch_bounds__(kBlockThreads)
    run_map(const __grid_constant__ AnswerMap map, vertex_t source) {
  constexpr int kEach = 4;  // in flight: each is two or three dependent words
  const bool copied = copies_levels(map);
  for (std::uint64_t first = cuda::grid_thread(); first < map.owned;
       first += kEach * cuda::grid_threads()) {
    vertex_t place[kEach];
    level_t level[kEach];
    vertex_t parent[kEach];
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const std::uint64_t i = first + t * cuda::grid_threads();
      place[t] = i < map.owned ? map.places[i] : map.members * map.numbers;
    }
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const unsigned member = place[t] / map.numbers;
      const vertex_t number = place[t] % map.numbers;
      const bool is_searched = member < map.members;
      level[t] = kUnreached;
      parent[t] = kNoVertex;
      if (!is_searched) continue;
      level[t] = copied ? level_of_byte(map.all_levels[place[t]])
                        : of_peer(map.levels_of[member] + number);
      if (map.parents == nullptr) continue;
      parent[t] = map.all_parents != nullptr ? map.all_parents[place[t]]
                                             : of_peer(map.parents_of[member] + number);
    }
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      if (parent[t] != kNoVertex) parent[t] = map.old_of_id[parent[t]];
    }
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const std::uint64_t i = first + t * cuda::grid_threads();
      if (i >= map.owned) continue;
      const bool is_source = map.own.global(map.me, i) == source;
      map.levels[i] = is_source ? 0 : level[t];
      if (map.parents != nullptr) map.parents[i] = is_source ? source : parent[t];
    }
  }
}

template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    add_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                unsigned long long* sum) {
  unsigned long long own = 0;
  for (std::uint64_t v = cuda::grid_thread(); v < count; v += cuda::grid_threads()) {
    if (levels[v] != kUnreached) own += offsets[v + 1] - offsets[v];
  }
  cuda::add_of_block(own, sum);
}

}  // namespace

void map_answer(const AnswerMap& map, vertex_t source, const cuda::Stream& stream) {
  if (map.all_levels != nullptr) {
    BFSLAB_LAUNCH(copy_answers, blocks_for(map.numbers), stream, map);
  }
  BFSLAB_LAUNCH(run_map, blocks_for(map.owned), stream, map, source);
}

template <typename Offset>
void sum_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                 unsigned long long* sum, const cuda::Stream& stream) {
  BFSLAB_LAUNCH(add_reached<Offset>, blocks_for(count), stream, offsets, levels, count, sum);
}

template void sum_reached(const std::uint32_t*, const level_t*, vertex_t, unsigned long long*,
                          const cuda::Stream&);
template void sum_reached(const edge_t*, const level_t*, vertex_t, unsigned long long*,
                          const cuda::Stream&);

}  // namespace bfslab::distributed::fused
