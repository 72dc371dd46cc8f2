// SPDX-License-Identifier: Apache-2.0
// Answers of `fused-gpus`: those of the members' searches, by number, put into the ids of the graph
// as given, at the owners of these.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::fused {

// Cost: 4 bytes for each owned vertex in order, and a word at a random place of a member's levels,
// and of its parents; 4 bytes more for the name of a parent. Where answers are put in place in the
// timer, levels of all members, in bytes, and parents are first copied here in order: random reads
// of another GPU's memory take four times as long.
struct AnswerMap {
  Ownership own;  // of the vertices as given
  unsigned me = 0;
  std::uint64_t owned = 0;
  const vertex_t* places = nullptr;     // [owned] cuda::FusedMember::places_of
  const vertex_t* old_of_id = nullptr;  // null: parents are not requested
  vertex_t numbers = 0;                 // of each member
  unsigned members = 1;
  const level_t* levels_of[cuda::kMaxFusedMembers] = {};
  const vertex_t* parents_of[cuda::kMaxFusedMembers] = {};
  const std::uint8_t* packed_of[cuda::kMaxFusedMembers] = {};
  const level_t* level_at_end = nullptr;  // the level of the search's end, which all members share
  std::uint8_t* all_levels = nullptr;     // [members][numbers] copies; null: none are made
  vertex_t* all_parents = nullptr;        // likewise
  level_t* levels = nullptr;              // [owned]
  vertex_t* parents = nullptr;            // [owned], or null
};

// Queues the copies, and then the answer. All members' searches are over. `source` as given.
void map_answer(const AnswerMap& map, vertex_t source, const cuda::Stream& stream);

// Queues the addition, to `*sum`, of the lengths of this member's rows that the search has reached:
// of the numbers below `count`.
template <typename Offset>
void sum_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                 unsigned long long* sum, const cuda::Stream& stream);

}  // namespace bfslab::distributed::fused
