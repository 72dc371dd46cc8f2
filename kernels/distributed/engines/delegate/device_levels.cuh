// SPDX-License-Identifier: Apache-2.0
// All levels of a search of `delegate-cuda` in one kernel a GPU: the level loop of search.cpp, by
// kernels that meet (communicator/device_team.hpp) instead of a host that waits.
//
// A level ends in a meeting. Before it the members set bits in masks of their own, write lists into
// the memory of whom they are for, which nobody waits for, and tell each other how long these are;
// after it each reads what it was sent, and the others' masks where they lie, streamed over the
// links, as their bit-wise OR, so that no reduction stands by itself. Masks alternate between two
// and counts among three, so that nobody writes what another may still read. A level that no member
// has a frontier for is the last.
//
// Who owns a delegate its number says, here: they are dealt out in turns of a line of their bits
// (DelegateStripes), and edges of dd are kept where the delegate with fewer neighbours is owned. Of
// a line of masks a member reads what others have marked as touched there, and where dd was visited
// backward, the owner's without asking.
//
// Where delegates are in the frontier, and not a handful, there is a second meeting in a level:
// delegates look backward for parents in dd first where they are owned, which is where their
// neighbours of higher degree are, and after it, on the others, those alone that nobody has found.
// These take what the owners have found as they read it, so that nobody reads it again.
//
// Once all delegates are visited, which all members know alike, none is looked for: nd, dd, masks
// and the second meeting are left out. Before, masks are read where some delegate is not visited.
// From then on, or once all subgraphs are visited backward for good, no direction is left to
// choose, and normal vertices are labelled and queued in one pass. The first level needs none of
// this: its frontier is the source, which the reset puts there. Nor does a meeting come before it:
// until it ends members leave each other's memory alone, but for words that wake the links between
// them while they reset their own.
//
// Rows of nn and nd have no more entries than the threshold: where these are few, a thread takes a
// row, without sums of degrees and the barriers that these need. And where, besides, nothing but nn
// is left and few vertices are searched from, as in a Kronecker graph's last levels and in all of a
// deep graph's, these claim, label and queue what they find one by one: there is no pass over all
// normal vertices. Members may differ in it: what they tell each other is the same.
//
// While a delegate with a long row is not visited, a visit backward leaves such rows for all blocks
// together, which meet for them: a hub that has one neighbour in the frontier keeps no block busy.
//
// Cost of a level beside its visits: two to four barriers of the grid and one meeting or two, 10 us
// on two H200s (a level that hosts drive: two waits, and two calls of NCCL of 15 us or more); until
// all delegates are visited, d / 256 bytes read from each other member, and the words that it
// touched, or where dd was visited backward all that it owns.
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/delegate/level_begin.cuh"
#include "kernels/distributed/engines/delegate/reset.cuh"

namespace bfslab::distributed::delegate {

// What a member tells another when a level ends: one word.
struct alignas(8) Said {
  std::uint32_t sent = 0;      // entries of its list for the other, since the search began
  std::uint32_t frontier = 0;  // whether it has any
};

// In the memory of all members, by number.
struct OfMembers {
  std::uint32_t* const* known[2] = {};    // masks that levels of each parity write
  std::uint32_t* const* touched[2] = {};  // DelegateView::touched of these
  Said* const* said = nullptr;            // [kTurns][members] by meeting and by whom
};

// Moments of a level, in order. Before `told_edges`, and between `dd_visited` and
// `told_found`, is what is only told.
enum Mark : unsigned {
  begun,
  lists_taken,
  masks_taken,
  told_edges,
  taken,
  queued,
  dn_visited,
  own_dd_visited,
  met_within,
  dd_visited,
  told_found,
  nd_visited,
  nn_visited,
  met,
  kMarks
};

// What a kernel notes of a level, by the clock of the device. Whoever is told has the grid meet at
// each mark, so that what lies between two is one step's alone.
struct DeviceLevelRecord {
  Counts counts;
  PerEdgeClass<bool> active, backward;
  std::uint64_t sent_upto = 0;  // entries of lists, to all members together, since the beginning
  unsigned long long ns[kMarks] = {};
};

struct DeviceLevels {
  ResetView reset;
  LevelBegin begin;
  NormalView normals;
  vertex_t* delegate_parents = nullptr;
  const vertex_t* names = nullptr;  // null: no parents
  RankedView places;
  NormalNames normal_names;
  SentView sent;  // counts rise through the search
  DirectionRule rule;
  Unvisited sources;
  // Backward visits, by the level's parity; of dd also by who looks, of nd by whether others are to
  // be left alone: what owners have found in dd was taken, or it is the first level, before which
  // nobody has met anybody. As parameters they take no registers.
  NormalsLook dn_look;
  DelegatesLook<false> nd_look[2][2];
  DelegatesLook<true> dd_look[2][3];
  DelegatesLook<true> first_dd_look;
  std::uint32_t* known[2] = {};
  std::uint32_t* touched[2] = {};  // null with one member
  DelegateStripes stripes;
  std::uint64_t delegates = 0;  // of the graph
  Counts* counts = nullptr;
  FewCounts* few = nullptr;
  const Said* said = nullptr;                  // to this member
  const std::byte* const* received = nullptr;  // [members] what each sends, in this one's memory
  LongRows long_rows;
  RestOfRow* left_rows[2] = {};  // LeftRows::rows, of dd and of nd
  cuda::ExpandScratch sums, other_sums;
  bool short_rows = false;  // of nn and nd: a thread takes one
  DeviceTeamView team;
  OfMembers of;
  std::uint64_t meetings = 0;            // before this search
  DeviceLevelRecord* records = nullptr;  // null: nobody asks
  level_t most_records = 0;
  struct Done {
    level_t levels = 0;  // with a frontier
    std::uint64_t meetings = 0;
    bool gave_up = false;
  }* done = nullptr;
};

// With as many blocks as the GPU runs at once, and `most_blocks` at most.
cuda::CooperativeKernel<DeviceLevels> device_levels(unsigned most_blocks);

}  // namespace bfslab::distributed::delegate
