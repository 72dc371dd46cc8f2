// SPDX-License-Identifier: Apache-2.0
// Answers of several members that search together: those of their searches, by number, put into the
// ids of the graph as given, at the owners of these.
#pragma once

#include <cstdint>

#include "kernels/cuda/fused/member.hpp"

namespace bfslab::cuda {

// Cost: 4 bytes for each owned vertex in order, and a word at a random place of a member's levels,
// and of its parents; 4 bytes more for the name of a parent. Where answers are put in place in the
// timer, levels of all members, in bytes, and parents are first copied here in order: random reads
// of another GPU's memory take four times as long.
struct FusedMemberAnswers {
  unsigned me = 0;
  unsigned members = 1;                 // vertices as given are dealt out among them round robin
  std::uint64_t owned = 0;              // of these
  vertex_t numbers = 0;                 // of each member
  const vertex_t* places = nullptr;     // [owned] FusedMember::places_of
  const vertex_t* old_of_id = nullptr;  // null: parents are not requested
  const level_t* levels_of[kMaxFusedMembers] = {};
  const vertex_t* parents_of[kMaxFusedMembers] = {};
  const std::uint8_t* packed_of[kMaxFusedMembers] = {};
  std::uint8_t* all_levels = nullptr;  // [members][numbers] copies; null: none are made
  vertex_t* all_parents = nullptr;     // likewise
};

}  // namespace bfslab::cuda
