// SPDX-License-Identifier: Apache-2.0
// All levels of a search of `delegate-cuda` in one kernel a GPU: the level loop of search.cpp, by
// kernels that meet (communicator/device_team.hpp) instead of a host that waits.
//
// A level ends in a meeting. Before it the members set bits in masks and write lists of their own;
// after it each reads the others' where they lie, streamed over the links: the masks as their
// bit-wise OR, so that no reduction stands by itself, and of the lists its own part. Masks
// alternate between two and counts among three, so that nobody writes what another may still read.
// A level that no member has a frontier for is the last.
//
// While delegates are in the frontier there is a second meeting in a level: delegates look backward
// for parents in dd first where they are owned, which is where their neighbours of higher degree
// are, and after it, on the others, those alone that nobody has found.
//
// Rows of nn and nd have no more entries than the threshold: where these are few, a thread takes a
// row, without sums of degrees and the barriers that these need.
//
// Cost of a level beside its visits: four barriers of the grid and one meeting or two, some 10 us
// on two H200s (a level that hosts drive: two waits, and two calls of NCCL of 15 us or more); d / 8
// bytes read from each other member.
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/delegate/level_begin.cuh"
#include "kernels/distributed/engines/delegate/places.cuh"

namespace bfslab::distributed::delegate {

inline constexpr unsigned kTurns = 3;  // counts of this level, of the next, and of the one before

// In the memory of all members, by number.
struct OfMembers {
  std::uint32_t* const* found[2] = {};        // masks that levels of each parity write
  Counts* const* counts = nullptr;            // [kTurns]
  std::uint32_t* const* sent_upto = nullptr;  // [kTurns][members] see DeviceLevels
  const std::byte* const* sent = nullptr;     // the list of all that goes to this member
};

// What a kernel notes of a level, by the clock of the device.
struct DeviceLevelRecord {
  Counts counts;
  PerEdgeClass<bool> active, backward;
  std::uint64_t sent = 0;          // entries of lists, to all members together
  unsigned long long ns[5] = {};   // begins; lists taken; masks taken; visited; met
  unsigned long long told_ns = 0;  // of the visits, what was only told
};

struct DeviceLevels {
  LevelBegin begin;
  NormalView normals;
  vertex_t* delegate_parents = nullptr;
  const vertex_t* names = nullptr;  // null: no parents
  OwnerOf own;
  RankedView places;
  NormalNames normal_names;
  SentView sent;  // counts rise through the search
  DirectionRule rule;
  Unvisited sources;
  // Backward visits, by the level's parity; of dd also by who looks. As parameters they take no
  // registers.
  NormalsLook dn_look;
  DelegatesLook<false> nd_look[2];
  DelegatesLook<true> dd_look[2][3];
  std::uint32_t* found[2] = {};
  Counts* counts = nullptr;
  // [kTurns][members]: how many entries this member had sent to each when a level ended.
  std::uint32_t* sent_upto = nullptr;
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
