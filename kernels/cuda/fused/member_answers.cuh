// SPDX-License-Identifier: Apache-2.0
// Puts answers of several members in place (member_answers.hpp). All functions are called by all
// threads of a grid, with a barrier of the grid between a copy and the answer. `end`: the level
// after the last of the search that had a frontier, which all members share.
#pragma once

#include "kernels/cuda/fused/member_answers.hpp"
#include "kernels/cuda/traversal/meeting.cuh"

namespace bfslab::cuda {

// Returns whether levels fit bytes, and so are copied.
__device__ inline bool fused_copies_levels(const FusedMemberAnswers& map, level_t end) {
  return map.all_levels != nullptr && end + 1 < kPackedUnreached;
}

// Copies 16 bytes at a time of what other members have, in order.
__device__ inline void fused_copy_words(const void* from, void* to, std::uint64_t bytes) {
  for (std::uint64_t i = thread_in_grid(); i < bytes / sizeof(uint4); i += threads_in_grid()) {
    reinterpret_cast<uint4*>(to)[i] = __ldcv(reinterpret_cast<const uint4*>(from) + i);
  }
}

// Copies the answers of all members. All members' searches are over.
__device__ inline void fused_copy_answers(const FusedMemberAnswers& map, level_t end) {
  const bool with_levels = fused_copies_levels(map, end);
  for (unsigned i = 0; i < map.members; ++i) {
    const unsigned m = (map.me + i) % map.members;  // no two members read the same one at once
    const std::uint64_t begin = std::uint64_t{m} * map.numbers;
    if (with_levels) fused_copy_words(map.packed_of[m], map.all_levels + begin, map.numbers);
    if (map.all_parents == nullptr) continue;
    fused_copy_words(map.parents_of[m], map.all_parents + begin, map.numbers * sizeof(vertex_t));
  }
}

// Writes the answer of a search from `source`, as given, to `levels` and `parents`, [owned] each;
// `parents` may be null. All members' searches are over.
__device__ inline void fused_put_answers(const FusedMemberAnswers& map, vertex_t source,
                                         level_t end, level_t* levels, vertex_t* parents) {
  constexpr int kEach = 4;  // in flight: each is two or three dependent words
  const bool copied = fused_copies_levels(map, end);
  const std::uint64_t threads = threads_in_grid();
  for (std::uint64_t first = thread_in_grid(); first < map.owned; first += kEach * threads) {
    vertex_t place[kEach];
    level_t level[kEach];
    vertex_t parent[kEach];
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const std::uint64_t i = first + t * threads;
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
      if (copied) {
        const std::uint8_t byte = map.all_levels[place[t]];
        level[t] = byte == kPackedUnreached ? kUnreached : byte;
      } else {
        level[t] = of_peer(map.levels_of[member] + number);
      }
      if (parents == nullptr) continue;
      parent[t] = map.all_parents != nullptr ? map.all_parents[place[t]]
                                             : of_peer(map.parents_of[member] + number);
    }
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      if (parent[t] != kNoVertex) parent[t] = map.old_of_id[parent[t]];
    }
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const std::uint64_t i = first + t * threads;
      if (i >= map.owned) continue;
      const bool is_source = i * map.members + map.me == source;
      levels[i] = is_source ? 0 : level[t];
      if (parents != nullptr) parents[i] = is_source ? source : parent[t];
    }
  }
}

}  // namespace bfslab::cuda
