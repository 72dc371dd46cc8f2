// SPDX-License-Identifier: Apache-2.0
// All levels of a search of `delegate-cuda` in one kernel per GPU: the level loop of search.cpp, by
// kernels that meet (communicator/device_team.hpp) instead of a host that waits.
//
// A level ends in a meeting. Before it the members set bits in their own masks, write lists into
// the memory of the receivers without waiting, and report the lengths of these lists to each other.
// After it each reads the lists that it was sent, and the others' masks where they lie: it streams
// them over the links as their bit-wise OR, so that there is no separate reduction. Masks alternate
// between two and counts among three, so that no member writes what another may still read. A level
// for which no member has a frontier is the last.
//
// The owner of a delegate follows from its number: delegates are dealt out a line of bits at a time
// (DelegateStripes), and an edge of dd is kept by the owner of the delegate with fewer neighbours.
// From a line of the others' masks a member reads the words that they have marked as touched and,
// where dd was visited backward, the owner's words in any case.
//
// Where at least kMinDelegatesToMeet delegates are in the frontier, a level has a second meeting.
// Delegates look backward for parents in dd first on their owners, which have their neighbours of
// higher degree. After the meeting only those that no member has found look on the others, which
// take what the owners have found as they read it, so that no one reads it again.
//
// Once all delegates are visited, which all members know alike, nd, dd, masks and the second
// meeting are left out. From then on, or once all subgraphs are visited backward for good, no
// direction is left to choose, and normal vertices are labelled and queued in one pass. The first
// level needs none of this: its frontier is the source, which the reset puts there. No meeting
// comes before it either: until it ends members leave each other's memory alone, but for words that
// wake the links between them while they reset their own.
//
// Rows of nn and nd have no more entries than the threshold. Where these are few, a thread takes a
// row, without sums of degrees and their barriers. Where only nn is left, too, and few vertices
// are searched from, the level is a small one (small_levels.cuh).
//
// While a delegate with a long row is not visited, a backward visit leaves such rows to all blocks
// together, which meet for them: a hub with a single neighbour in the frontier keeps no block busy.
//
// Cost of a level beside its visits: two to four barriers of the grid and one meeting or two, 10 us
// on two H200s (a level that hosts drive: two waits, and two calls of NCCL of 15 us or more). Until
// all delegates are visited, it reads d / 256 bytes from each other member and the words that this
// member touched or, where dd was visited backward, all that it owns.
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/delegate/backward_looks.cuh"
#include "kernels/distributed/engines/delegate/level_begin.cuh"
#include "kernels/distributed/engines/delegate/reset.cuh"

namespace bfslab::distributed::delegate {

// The report of a member to another when a level ends: one word.
struct alignas(8) LevelReport {
  std::uint32_t sent = 0;      // entries of its list for the other, since the search began
  std::uint32_t frontier = 0;  // 1 if it has a frontier
};

// Pointers into the memory of all members, by number.
struct MembersMemory {
  std::uint32_t* const* known[2] = {};    // masks that levels of each parity write
  std::uint32_t* const* touched[2] = {};  // DelegateView::touched of these
  LevelReport* const* reports = nullptr;  // [kLevelSlots][members] by meeting and by sender
};

// Moments of a level, in order. Between `masks_taken` and `all_edges_summed`, and between
// `dd_visited` and `found_counted`, lies what only a record needs.
enum Mark : unsigned {
  begun,
  lists_taken,
  masks_taken,
  all_edges_summed,
  labelled,
  queued,
  dn_visited,
  own_dd_visited,
  met_within,
  dd_visited,
  found_counted,
  nd_visited,
  nn_visited,
  met,
  kMarks
};

// A kernel's record of a level, by the clock of the device. A search that is recorded has the grid
// meet at each mark, so that what lies between two is the time of one step.
struct LevelRecord {
  LevelCounts counts;
  PerEdgeClass<bool> active, backward;
  std::uint64_t sent_upto = 0;  // entries of lists to all members, since the search began
  unsigned long long ns[kMarks] = {};
};

inline constexpr level_t kMaxRecords = 4096;  // levels that a kernel records

struct OneKernelArgs {
  ResetView reset;
  LevelBegin begin;
  NormalView normals;
  DelegateView delegates[2];  // by the level's parity; nothing is touched with one member
  RankedView places;
  NormalNames normal_names;
  SentView sent;  // counts rise through the search
  DirectionRule rule;
  Unvisited sources;
  // Backward visits by the level's parity. dd: also by who looks. nd: [1] leaves others alone,
  // where what owners have found in dd was taken, or in the first level, before any meeting. As
  // parameters they take no registers.
  NormalsLook dn_look;
  DelegatesLook<false> nd_look[2][2];
  DelegatesLook<true> dd_look[2][3];
  DelegatesLook<true> first_dd_look;
  DelegateStripes stripes;
  std::uint64_t delegate_count = 0;  // of the graph
  LevelCounts* counts = nullptr;
  SmallLevelCounts* small = nullptr;
  const LevelReport* reports = nullptr;        // to this member
  const std::byte* const* received = nullptr;  // [members] what each sends, in this one's memory
  LongRows long_rows;
  RestOfRow* left_rows[2] = {};  // LeftRows::rows, of dd and of nd
  cuda::ExpandScratch sums, other_sums;
  bool short_rows = false;  // of nn and nd: a thread takes one
  cuda::MeetingView team;
  MembersMemory all;
  std::uint64_t meetings = 0;      // before this search
  LevelRecord* records = nullptr;  // [kMaxRecords]; null: the search is not recorded
  struct Done {
    level_t levels = 0;  // with a frontier
    std::uint64_t meetings = 0;
    bool gave_up = false;
  }* done = nullptr;
};

// Returns the kernel with as many blocks as the GPU runs at once, and at most `max_blocks`.
cuda::CooperativeKernel<OneKernelArgs> one_kernel(unsigned max_blocks);

}  // namespace bfslab::distributed::delegate
