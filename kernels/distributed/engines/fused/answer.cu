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

__global__ void __launch_bounds__(kBlockThreads)
    run_map(const __grid_constant__ AnswerMap map, vertex_t source) {
  constexpr int kEach = 4;  // in flight: each is two or three dependent words
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
      level[t] = is_searched ? of_peer(map.levels_of[member] + number) : kUnreached;
      parent[t] = kNoVertex;
      if (is_searched && map.parents != nullptr) {
        parent[t] = of_peer(map.parents_of[member] + number);
      }
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
