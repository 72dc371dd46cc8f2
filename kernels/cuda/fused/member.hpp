// SPDX-License-Identifier: Apache-2.0
// The arguments of a member's kernel where several members search together (members.cuh): as groups
// of blocks of one launch, or each on a GPU of its own.
#pragma once

#include "kernels/cuda/fused/member_deal.hpp"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/cuda/traversal/meeting.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kMaxFusedMembers = 8;

inline constexpr std::uint8_t kPackedUnreached = 255;

// The finds of a level.
struct FusedSums {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  unsigned long long checked = 0;  // entries that bottom-up read, on request
  unsigned long long listed = 0;   // of `vertices`, those that bottom-up has queued (lists_few)
};

// The traffic between members in a level, counted on request.
struct FusedTraffic {
  unsigned long long words = 0;  // of 4 bytes, to or from another member's memory
  unsigned long long meetings = 0;
};

// The state that a launch leaves to the next.
struct FusedMemberCourse {
  FusedCourse course;           // the same for all members, except what names its own queue
  std::uint64_t meetings = 0;   // held since the member was made
  vertex_t source = kNoVertex;  // by id; kNoVertex: it has no edges
};

// The meetings of a search, by what is over when members meet. Sums are exchanged in those of
// resets and of levels' ends (looked, swept).
enum class FusedMeeting : unsigned {
  none,
  reset,
  begun,
  looked,
  expanded,
  swept,
  logged,
  answered
};

// The state that steps and hosts pass to each other where hosts meet: each launch of the kernel is
// a step, which ends at a meeting.
struct FusedStep {
  FusedMeeting meeting = FusedMeeting::none;  // the next; none: there is none in this launch
  FusedSums own;                              // of this member, up to the last meeting with sums
  FusedSums all;                              // the host's: of all members
};

// A member's share of the work. `vertices` and all arrays indexed by vertex hold those of its own,
// by number; columns, first neighbours, parents and bits of frontiers name vertices by id.
template <typename OffsetType>
struct FusedMember : FusedWork<OffsetType> {
  FusedDeal deal;
  MeetingView team;
  unsigned long long* blocks_arrived = nullptr;  // barrier_of_member()
  vertex_t vertices_of[kMaxFusedMembers] = {};   // `vertices` of each member
  vertex_t numbers = 0;                          // of each member, in whole runs
  std::uint32_t all_words = 0;                   // of all members' bits
  // Bits of all vertices: visited, as far as this member knows, and what it has found since then
  // for other members, which look here when they sweep.
  std::uint32_t* seen = nullptr;
  FusedMemberCourse* state = nullptr;
  FusedStep* step = nullptr;  // where hosts meet
  SlotRing totals;  // sums of each level, for the log or the host, where this member notes them
  bool logs_own = false;  // every member logs its own sums, not member 0 those of all members
  bool ends_met = false;  // members meet once more when all answers are complete
  // [numbers] The levels in bytes, kUnreached cut to kPackedUnreached, made at the end of a search
  // of fewer levels; null: unwanted.
  std::uint8_t* packed = nullptr;
  FusedTraffic* traffic = nullptr;  // [counted_levels]; null: not counted
  level_t counted_levels = 0;
  // The arrays of each member, as this one addresses them.
  // Places of the vertices as given, dealt out round robin among `place_owners` members: a place is
  // the member times `numbers`, plus the number.
  const vertex_t* places_of[kMaxFusedMembers] = {};
  unsigned place_owners = 1;
  std::uint32_t* fronts[kMaxFusedMembers][2] = {};
  const std::uint32_t* seen_by[kMaxFusedMembers] = {};
  const std::uint32_t* visited_by[kMaxFusedMembers] = {};
  const level_t* levels_of[kMaxFusedMembers] = {};
  vertex_t* parents_of[kMaxFusedMembers] = {};
  const vertex_t* first_of[kMaxFusedMembers] = {};
  // Rows, if a search begins at the source's (begins_at_row).
  const OffsetType* offsets_of[kMaxFusedMembers] = {};
  const vertex_t* columns_of[kMaxFusedMembers] = {};
  FusedSums* sums_of[kMaxFusedMembers] = {};  // [2][members], by parity of the meeting
};

}  // namespace bfslab::cuda
