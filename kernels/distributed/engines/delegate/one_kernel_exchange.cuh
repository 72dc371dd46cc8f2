// SPDX-License-Identifier: Apache-2.0
// The exchange of members between the levels of one kernel (one_kernel.cuh), in meetings: lists of
// normal vertices, masks of delegates, and the reports that end a level.
#pragma once

#include <bit>

#include "kernels/distributed/communicator/device_team.cuh"
#include "kernels/distributed/engines/delegate/one_kernel.cuh"

namespace bfslab::distributed::delegate {

// The state of the search that each block keeps in its shared memory.
struct LevelState {
  Wanted wanted;
  unsigned long long delegates = 0;  // in the frontier, of all members alike
  unsigned long long unvisited_delegates = 0;
  PerEdgeClass<bool> active;
  Backward backward;
  Unvisited unvisited;
  unsigned long long frontier = 0;  // of this member, with delegates
  std::uint64_t meetings = 0;       // held
  level_t level = 0;
  bool owners_first = false;  // in dd, in the level before
  bool took_theirs = false;   // this member has taken what they found
  bool long_open = false;     // a delegate with a long row is not visited
  // The level's normal vertices to begin from, in the queue.
  std::uint32_t queue_begin = 0;
  std::uint32_t queue_end = 0;
  // The entries that the level before brought, in the list of each member for this one.
  std::uint32_t list_begin[kMaxTeamMembers] = {};
  std::uint32_t list_end[kMaxTeamMembers] = {};
};

__device__ inline bool first_of_grid() { return cuda::thread_in_grid() == 0; }

__device__ inline LevelCounts* level_counts(const OneKernelArgs& args, const LevelState& state) {
  return args.counts + state.level % kLevelSlots;
}

template <typename LastWords>
__device__ inline bool meet_next(const OneKernelArgs& args, LevelState& state,
                                 LastWords last_words) {
  if (threadIdx.x == 0) ++state.meetings;
  return meet(args.team, state.meetings, last_words);
}

// Notes the time of a moment of the level. Called by all threads of the grid.
__device__ inline __noinline__ void mark(LevelRecord* records, level_t level, Mark which) {
  cuda::barrier_of_grid();
  if (level >= kMaxRecords || !first_of_grid()) return;
  if (which == begun) records[level] = {};
  records[level].ns[which] = cuda::device_ns();
}

__device__ inline void mark(const OneKernelArgs& args, level_t level, Mark which) {
  if (args.records != nullptr) mark(args.records, level, which);
}

// Calls take(place, parent) for the open vertices that the others sent in the level before. Their
// lists are read as one, so that short ones are in flight together, and each thread has several
// entries in flight, since every step waits for memory.
template <typename Take>
__device__ __forceinline__ void take_lists(const OneKernelArgs& args, const LevelState& state,
                                           Take take) {
  constexpr unsigned kAtOnce = 4;
  const auto from_after = [&args](unsigned other) {
    return member_after(args.team.me, other, args.team.members);
  };
  const auto size_of = [&state](unsigned from) {
    return state.list_end[from] - state.list_begin[from];
  };
  std::size_t all = 0;
  for (unsigned other = 1; other < args.team.members; ++other) all += size_of(from_after(other));
  // The vertex in the lower half, its parent in the upper.
  const auto entry = [&](std::size_t at) {
    unsigned other = 1;
    for (; at >= size_of(from_after(other)); ++other) at -= size_of(from_after(other));
    const unsigned from = from_after(other);
    at += state.list_begin[from];
    const std::byte* const list = args.received[from];
    if (args.sent.carried) {
      return of_peer(reinterpret_cast<const std::uint64_t*>(list) + at);
    }
    return std::uint64_t{kNoVertex} << 32 |
           of_peer(reinterpret_cast<const local_vertex_t*>(list) + at);
  };
  const std::size_t step = cuda::threads_in_grid();
  for (std::size_t i = cuda::thread_in_grid(); i < all; i += kAtOnce * step) {
    std::uint64_t entries[kAtOnce];
    local_vertex_t places[kAtOnce];
    bool open[kAtOnce];
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      entries[t] = i + t * step < all ? entry(i + t * step) : 0;
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      places[t] = args.places.place(static_cast<local_vertex_t>(entries[t]));
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      open[t] = args.normals.open(places[t]);  // past the last one's, too: no branch
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      if (open[t] && i + t * step < all) {
        take(places[t], static_cast<vertex_t>(entries[t] >> 32));
      }
    }
  }
}

// Exchanges delegates: returns what all members know of four words of them after the level before,
// where `visited` were before it, or what this member knows if these are all. If the owner has
// probably found some without touching the words (`asks_owner`), it is asked at once. The others
// are asked where they have touched one of the words.
__device__ inline uint4 known_by_all(const OneKernelArgs& args, level_t level, bool asks_owner,
                                     std::size_t word, const uint4& visited) {
  constexpr unsigned kAtOnce = 3;  // reads in flight
  constexpr std::uint32_t kFour = 0xF;
  const unsigned parity = (level + 1) % 2;
  uint4 bits = four_of_peer(args.delegates[parity].known + word);
  if (args.team.members == 1) return bits;
  if ((visited.x & visited.y & visited.z & visited.w) == ~0U) return bits;
  const unsigned owner = asks_owner ? args.stripes.owner_of_word(word) : args.team.me;
  const uint4 of_owner =
      owner != args.team.me ? four_of_peer(args.all.known[parity][owner] + word) : uint4{};
  for (unsigned other = 1; other < args.team.members; other += kAtOnce) {
    std::uint32_t touched[kAtOnce];
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      const unsigned from = member_after(args.team.me, other + i, args.team.members);
      touched[i] = other + i < args.team.members && from != owner
                       ? of_peer(args.all.touched[parity][from] + word / 32)
                       : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if ((touched[i] >> word % 32 & kFour) == 0) continue;
      const unsigned from = member_after(args.team.me, other + i, args.team.members);
      bits = either(bits, four_of_peer(args.all.known[parity][from] + word));
    }
  }
  return either(bits, of_owner);
}

// Makes the others read all words. Called by all threads of the grid before the meeting.
__device__ inline __noinline__ void touch_all(const OneKernelArgs& args, level_t level) {
  const std::size_t words = (args.begin.delegate_words + 31) / 32;
  for (std::size_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    args.delegates[level % 2].touched[w] = ~0U;
  }
}

// Reports to each other member if this one has a frontier, and what it has sent. Called by a block
// before the meeting that ends a level, a thread for each member. Reports go by the meeting's
// number, so that a member whose next search has begun does not write where another still reads.
__device__ inline void send_reports(const OneKernelArgs& args, const LevelState& state) {
  const unsigned to = threadIdx.x;
  if (to >= args.team.members || to == args.team.me) return;
  const LevelReport report{fresh(args.sent.count + to), state.frontier != 0 ? 1U : 0U};
  *reinterpret_cast<std::uint64_t*>(
      args.all.reports[to] + state.meetings % kLevelSlots * args.team.members + args.team.me) =
      std::bit_cast<std::uint64_t>(report);
}

// Reads the others' reports. Returns true if no member had a frontier; delegates are the same on
// all. Called by all threads of a block after the meeting.
__device__ inline bool no_frontier_left(const OneKernelArgs& args, LevelState& state) {
  const unsigned from = threadIdx.x;
  bool any = state.frontier != 0;
  if (from < args.team.members && from != args.team.me) {
    const std::uint64_t word = of_peer(reinterpret_cast<const std::uint64_t*>(
        args.reports + state.meetings % kLevelSlots * args.team.members + from));
    const auto report = std::bit_cast<LevelReport>(word);
    state.list_begin[from] = state.list_end[from];
    state.list_end[from] = report.sent;
    any = any || report.frontier != 0;
  }
  return __syncthreads_or(any ? 1 : 0) == 0;
}

}  // namespace bfslab::distributed::delegate
