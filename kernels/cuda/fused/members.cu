// SPDX-License-Identifier: Apache-2.0
// Runs the levels of `fused` by several members (members.cuh), in step: all choose alike, by sums
// over all members that they exchange when they meet. A member is a group of blocks (blockIdx.y) of
// one launch, or a launch on a GPU of its own, which wakes the links to the others while it resets.
#include "kernels/cuda/fused/members.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/cuda/fused/member_answers.cuh"
#include "kernels/cuda/fused/members.cuh"
#include "kernels/unsupported.hpp"

namespace bfslab::cuda {

namespace {

// The state of a search in the shared memory of a block.
struct Course : FusedMemberCourse {
  FusedSums all, own;  // of the last meeting with sums
  bool gave_up = false;
};

// Meets the other members in a level. Called by all threads of the member.
template <typename Offset, typename LastWords>
__device__ bool meet(const FusedMember<Offset>& work, Course& course, LastWords last_words) {
  if (threadIdx.x == 0) ++course.meetings;
  const bool together = meet(
      work.team, course.meetings, [&work] { fused_barrier(work); }, last_words);
  if (threadIdx.x == 0 && !together) course.gave_up = true;
  __syncthreads();
  return together;
}

template <typename Offset>
__device__ void note_meeting(const FusedMember<Offset>& work, level_t level) {
  if (work.traffic == nullptr || level >= work.counted_levels || work.team.me != 0) return;
  if (thread_in_grid() == 0) ++work.traffic[level].meetings;
}

// Meets, and sums what all members have found into course.all. own_sums() returns this member's
// share and is called after all its threads have arrived.
template <typename Offset, typename OwnSums>
__device__ bool meet_and_sum(const FusedMember<Offset>& work, Course& course, OwnSums own_sums) {
  const unsigned members = work.team.members;
  const unsigned me = work.team.me;
  const bool together = meet(work, course, [&] {
    if (threadIdx.x < members && threadIdx.x != me) {
      work.sums_of[threadIdx.x][course.meetings % 2 * members + me] = own_sums();
    }
  });
  if (!together) return false;
  if (threadIdx.x == 0) {
    FusedSums all = course.own = own_sums();
    const FusedSums* const theirs = work.sums_of[me] + course.meetings % 2 * members;
    for (unsigned m = 0; m < members; ++m) {
      if (m == me) continue;
      all.vertices += of_peer(&theirs[m].vertices);
      all.edges += of_peer(&theirs[m].edges);
      all.checked += of_peer(&theirs[m].checked);
      all.listed += of_peer(&theirs[m].listed);
    }
    course.all = all;
  }
  __syncthreads();
  return true;
}

// Notes the frontier of `level` among what is visited, for the visits of this member, so that none
// names another parent of a vertex that has one. Without parents, a visit may set a bit in vain:
// its member knows that the vertex is visited.
template <typename Offset>
__device__ void see_front(const FusedMember<Offset>& work, level_t level) {
  const std::uint32_t* const front = work.front[level % 2];
  for (std::uint32_t g = thread_in_grid(); g < work.all_words; g += threads_in_grid()) {
    const std::uint32_t bits = front[g];
    if (bits != 0) work.seen[g] |= bits;
  }
}

// Returns whether this thread writes the log and the totals.
template <typename Offset>
__device__ bool is_logging(const FusedMember<Offset>& work) {
  return thread_in_grid() == 0 && (work.logs_own || work.team.me == 0);
}

// Notes the sums of `level`, which the last meeting has brought. Called by any threads.
template <typename Offset>
__device__ void note_sums(const FusedMember<Offset>& work, const Course& course, level_t level) {
  if (!is_logging(work)) return;
  const FusedSums& sums = work.logs_own ? course.own : course.all;
  LevelSlot& slot = *work.totals.at(level);
  slot.vertices = sums.vertices;
  slot.edges = sums.edges;
  slot.checked = sums.checked;
}

// Goes on to the next level, with course.all. Called by one thread of each block.
template <typename Offset>
__device__ void advance(const FusedMember<Offset>& work, Course& course, bool up) {
  FusedCourse& at = course.course;
  const FusedSums& all = course.all;
  note_sums(work, course, at.at.level + 1);
  at.at.advance(all.vertices, up ? 0 : all.edges, up);
  at.at.is_queued = false;
  at.owes_labels = false;
  at.queue_from = 0;
}

// Takes the vertices that a bottom-up level has listed as the queue, if they are all that members
// have found, and the next level goes top-down. Called by one thread of each block.
template <typename Offset>
__device__ void take_listed(const FusedMember<Offset>& work, Course& course) {
  FusedCourse& at = course.course;
  const FusedSums& all = course.all;
  if (all.listed == 0 || all.listed != all.vertices || work.rules.stays_up(at.at)) return;
  at.at.is_queued = true;
  at.at.edges = all.edges;
  at.queued = static_cast<std::uint32_t>(course.own.listed);
  at.queue_from = work.queue_room - at.queued;
}

// Takes note of the queue that this member has made of `level`. Called by one thread of each block.
template <typename Offset>
__device__ FusedSums take_queue(const FusedMember<Offset>& work, FusedCourse& at, level_t level) {
  using Claimed = FusedClaimed<Offset>;
  const Claimed made{work.claimed[at.claims++ % kFusedClaims]};
  const LevelSlot& slot = *work.slots.at(level);
  at.queued = Claimed::kHoldsAll ? made.vertices() : slot.queued[0];
  if (Claimed::kHoldsAll) {
    at.summed = level;
    at.sums = work.sums.edges_before;
  }
  return {at.queued, made.edges(), 0};
}

template <bool kCounts, typename Offset>
__device__ bool run_up(const FusedMember<Offset>& work, Course& course) {
  FusedCourse& at = course.course;
  const level_t level = at.at.level;
  const std::uint32_t hot_words = fused_hot_words(work, at.at.visited);
  if (work.parents != nullptr) see_front(work, level);
  if (hot_words > 0) {
    fused_bottom_up<kCounts, true>(work, level, hot_words, at.owes_labels);
  } else {
    fused_bottom_up<kCounts, false>(work, level, hot_words, at.owes_labels);
  }
  fused_barrier(work);
  const LevelSlot& next = *work.slots.at(level + 1);
  if (threadIdx.x == 0) at.aside = next.candidates;
  __syncthreads();
  if (at.aside > 0) fused_bottom_up_aside<kCounts>(work, level, hot_words, at.aside);
  if constexpr (kCounts) {
    fused_barrier(work);
    fused_sum_edges(work, level + 1);
  }
  note_meeting(work, level);
  const auto own_sums = [&] {
    return FusedSums{next.vertices, next.edges + next.early_edges, next.checked, next.ticket};
  };
  if (!meet_and_sum(work, course, own_sums)) return false;
  if (threadIdx.x == 0) {
    advance(work, course, true);
    take_listed(work, course);
  }
  return true;
}

// Makes this member's queue of a frontier that is only bits.
template <typename Offset>
__device__ void queue_front(const FusedMember<Offset>& work, FusedCourse& at) {
  const level_t level = at.at.level;
  const std::uint32_t* const front = work.front[level % 2];
  fused_queue(work, at, level, at.owes_labels,
              [&](std::uint32_t w) { return front[fused_place(work, w)]; });
  fused_barrier(work);
  if (threadIdx.x == 0) {
    take_queue(work, at, level);
    at.at.is_queued = true;
    at.owes_labels = false;
  }
  __syncthreads();
}

template <typename Offset>
__device__ bool run_down(const FusedMember<Offset>& work, Course& course) {
  FusedCourse& at = course.course;
  const level_t level = at.at.level;
  if (!at.at.is_queued) queue_front(work, at);
  if (work.parents != nullptr) {
    see_front(work, level);
    fused_barrier(work);
  }
  // All members know the edges of this frontier if the level before went top-down.
  const bool is_late = work.labels_late && at.at.edges > kLateEdges && work.rules.expects_up(at.at);
  fused_expand(work, at);
  note_meeting(work, level);
  if (!meet(work, course, [] {})) return false;
  if (is_late) {
    fused_sweep_late(work, level + 1);
  } else {
    fused_sweep(work, at, level + 1);
  }
  note_meeting(work, level);
  const LevelSlot& next = *work.slots.at(level + 1);
  const unsigned long long* const claimed = fused_claimed(work, at);
  const auto own_sums = [&] {
    if (is_late) return FusedSums{next.vertices, next.edges, 0};
    const FusedClaimed<Offset> made{*claimed};
    const bool has_all = FusedClaimed<Offset>::kHoldsAll;
    return FusedSums{has_all ? made.vertices() : next.queued[0], made.edges(), 0};
  };
  if (!meet_and_sum(work, course, own_sums)) return false;
  if (threadIdx.x == 0) {
    advance(work, course, false);
    if (!is_late) take_queue(work, at, level + 1);
    at.at.is_queued = !is_late;
    at.owes_labels = is_late;
  }
  return true;
}

// Logs level 0 of a source for which no level runs: a leaf, or one without edges. Called by one
// thread of the member.
template <typename Offset>
__device__ void log_alone(const FusedMember<Offset>& work, vertex_t source) {
  LevelSlot slot;
  const unsigned member = source == kNoVertex ? 0 : work.deal.member_of(source);
  if (!work.logs_own || member == work.team.me) slot.queued[0] = slot.vertices = 1;
  work.log.level_is(0, kFusedSmall);
  work.log.level_ended(0, slot);
}

// Logs the level of a root whose row is the next frontier. Called by one thread of the member.
template <typename Offset>
__device__ void log_root(const FusedMember<Offset>& work, FusedMemberRoot root, edge_t degree) {
  LevelSlot& slot = *work.totals.at(root.level);
  if (!work.logs_own || work.deal.member_of(root.id) == work.team.me) {
    slot.vertices = 1;
    slot.edges = degree;
  }
  work.log.level_is(root.level, kFusedSmall);
  work.log.level_ended(root.level, slot);
}

// Resets, and begins at the source, as given, or at its row. Called by all threads of the member.
// `woken`: by wake_links(). The reset comes before all that waits for other members' memory.
template <typename Offset>
__device__ bool begin_search(const FusedMember<Offset>& work, vertex_t given, std::uint32_t woken,
                             Course& course) {
  const vertex_t place = fused_place_of_source(work, given);
  fused_member_reset(work);
  const vertex_t source = fused_id_of_place(work, place);
  const FusedMemberRoot root = fused_member_root(work, source);
  const FusedFirstRow row = fused_first_row(work, root.id);
  FusedRowEntry entry;
  if (row.is_short()) entry = fused_first_entry(work, root.id, row);
  fused_add_root(work, root);
  std::uint32_t found = 0;
  edge_t edges = 0;
  if (row.is_short()) found = fused_find_first_row(work, root.level + 1, entry, edges);
  await_links(woken);
  const LevelSlot& first = *work.slots.at(root.level);
  const bool together = meet_and_sum(work, course, [&] {
    return row.is_short() ? FusedSums{found, edges, 0} : FusedSums{first.queued[0], first.edges, 0};
  });
  if (!together) return false;
  if (threadIdx.x == 0) {
    course.source = source;
    FusedCourse& at = course.course;
    at.at.level = root.level;
    if (row.is_short()) {
      at.at.edges = at.at.all_edges = row.length;
      at.at.advance(course.all.vertices, course.all.edges, false);
      at.queued = found;
    } else {
      at.at.frontier = course.all.vertices;
      at.at.edges = at.at.all_edges = course.all.edges;
      at.queued = first.queued[0];
    }
  }
  if (thread_in_grid() == 0) fused_label_root(work, source, root);
  fused_label_first_row(work, root.level + 1, root.id, entry);
  if (is_logging(work)) {
    work.log.starts();
    if (root.level > 0) log_alone(work, source);
    if (row.is_short()) log_root(work, root, row.length);
  }
  note_sums(work, course, course.course.at.level);
  __syncthreads();
  // No level's meeting is between these labels and leaves, which read them.
  if (row.is_short() && course.all.vertices == 0) return meet(work, course, [] {});
  return true;
}

template <bool kCounts, typename Offset>
__device__ void run_levels(const FusedMember<Offset>& work, Course& course, level_t max) {
  FusedCourse& at = course.course;
  const bool leads = is_logging(work);
  for (level_t ran = 0; at.at.frontier > 0 && ran < max; ++ran) {
    const level_t level = at.at.level;
    const FusedKind kind = work.rules.kind(at.at);
    __syncthreads();  // all threads read the course before it changes
    if (leads) {
      work.log.level_is(level, kind);
      work.totals.clear_ahead_of(level);
    }
    if (thread_in_grid() == 0) work.slots.clear_ahead_of(level);
    const bool together = kind == kFusedUp ? run_up<kCounts>(work, course) : run_down(work, course);
    if (!together) return;
    if (leads) work.log.level_ended(level, *work.totals.at(level));
    __syncthreads();
  }
}

// Labels what the levels have not. Called by all threads of the member; a barrier must follow.
template <typename Offset>
__device__ void end_search(const FusedMember<Offset>& work, Course& course) {
  const vertex_t source = course.source;
  const level_t end = course.course.at.level;
  if (is_logging(work)) {
    if (end == 0) {  // the source has no edges, or only one to a leaf
      log_alone(work, source);
    } else if (end < work.log.capacity) {
      work.log.records[end] = LevelRecord{.kind = kFusedSmall, .end_ns = device_ns()};
    }
  }
  if (work.log.head != nullptr && !meet(work, course, [] {})) return;
  fused_label_rest(work, kNoVertex);
  fused_label_leaves(work, source, end);
  if (work.packed != nullptr) {
    fused_barrier(work);
    fused_pack_levels(work, end + 1);  // with leaves
  }
}

// Adds the lengths of this member's rows that a search has reached to `*sum`.
template <typename Offset>
__device__ void sum_reached_rows(const FusedMember<Offset>& work, unsigned long long* sum) {
  unsigned long long own = 0;
  const vertex_t all = work.vertices + work.leaves;
  for (vertex_t v = thread_in_grid(); v < all; v += threads_in_grid()) {
    if (work.levels[v] != kUnreached) own += degree_of(work.out, v);
  }
  add_of_block(own, sum);
}

template <bool kCounts, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_members(const FusedMember<Offset>* members, vertex_t given, FusedStart start, level_t max) {
  alignas(Course) __shared__ unsigned char course_bytes[sizeof(Course)];
  auto& course = *reinterpret_cast<Course*>(course_bytes);
  const FusedMember<Offset>& work = members[blockIdx.y];
  if (threadIdx.x == 0) {
    new (course_bytes) Course;
    if (start == FusedStart::fresh) {
      course.meetings = work.state->meetings;
    } else {
      static_cast<FusedMemberCourse&>(course) = *work.state;
    }
  }
  __syncthreads();
  const bool is_fresh = start == FusedStart::fresh;
  const std::uint32_t woken = is_fresh ? wake_links(work.team) : 0;
  const bool begun = !is_fresh || begin_search(work, given, woken, course);
  if (begun) run_levels<kCounts>(work, course, max);
  if (!course.gave_up && max > 0 && course.course.at.frontier == 0) {
    end_search(work, course);
    if (work.ends_met) meet(work, course, [] {});
  }
  fused_barrier(work);  // all have read the state that the last launch has left
  if (thread_in_grid() == 0) *work.state = course;
}

// A search's time begins where all members meet, and ends where this member's part of the answer is
// there: in place, if answers are put in place in the timer. Links are woken before the first.
template <typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_in_a_row(const FusedMember<Offset>* member,
                 const __grid_constant__ FusedMemberSearches searches) {
  alignas(Course) __shared__ unsigned char course_bytes[sizeof(Course)];
  auto& course = *reinterpret_cast<Course*>(course_bytes);
  __shared__ std::uint32_t search;  // in shared memory, since the levels use all registers
  const FusedMember<Offset>& work = *member;
  if (threadIdx.x == 0) {
    new (course_bytes) Course;
    course.meetings = work.state->meetings;
    search = 0;
  }
  await_links(wake_links(work.team));
  const auto note_time = [&](unsigned end) {
    if (thread_in_grid() == 0) searches.times_ns[2 * search + end] = device_ns();
  };
  const auto put = [&] {
    const std::size_t begin = search * searches.map.owned;
    fused_put_answers(searches.map, searches.sources[search], course.course.at.level,
                      searches.levels + begin,
                      searches.parents != nullptr ? searches.parents + begin : nullptr);
  };
  __syncthreads();
  while (search < searches.count) {
    if (!meet(work, course, [] {})) break;  // all begin together
    note_time(0);
    if (threadIdx.x == 0) course.course = FusedCourse{};
    if (!begin_search(work, searches.sources[search], 0, course)) break;
    run_levels<false>(work, course, ~level_t{0});
    if (course.gave_up) break;
    end_search(work, course);
    if (searches.maps_in_time) {
      if (!meet(work, course, [] {})) break;
      fused_copy_answers(searches.map, course.course.at.level);
      fused_barrier(work);
      put();
      fused_barrier(work);
      note_time(1);
    } else {
      fused_barrier(work);
      note_time(1);
      if (!meet(work, course, [] {})) break;
      put();
    }
    sum_reached_rows(work, searches.reached + search);
    __syncthreads();
    if (threadIdx.x == 0) ++search;
    __syncthreads();
  }
  fused_barrier(work);
  if (thread_in_grid() == 0) *work.state = course;
}

// Returns the kernel with the largest grid that runs at once, of `groups` groups of blocks.
template <typename... Parameters>
CooperativeKernel<Parameters...> with_grid(void (*kernel)(Parameters...), std::uint32_t& hot_words,
                                           unsigned groups) {
  CooperativeKernel<Parameters...> made;
  made.kernel = kernel;
  made.threads = kFusedThreads;
  const std::size_t max = allow_shared_bytes(made.kernel);
  const auto bytes = [&] {
    return std::max({sizeof(FusedBottomUpMemory) + hot_words * sizeof(std::uint32_t),
                     sizeof(FusedSweepMemory), sizeof(FusedLeafCounts)});
  };
  while (hot_words > 0 && bytes() > max) hot_words -= std::min(hot_words, 256U);
  made.shared_bytes = bytes();
  made.groups = groups;
  made.blocks = blocks_at_once(made.kernel, made.threads, made.shared_bytes) / groups;
  if (made.blocks == 0) {
    throw Unsupported("this GPU does not run a block for each of " + std::to_string(groups) +
                      " members at once: choose fewer members");
  }
  return made;
}

}  // namespace

template <typename Offset>
FusedMembersKernel<Offset> fused_members_kernel(std::uint32_t& hot_words, unsigned members,
                                                bool counts) {
  return with_grid(counts ? &run_members<true, Offset> : &run_members<false, Offset>, hot_words,
                   members);
}

template <typename Offset>
FusedMemberSearchesKernel<Offset> fused_member_searches_kernel(std::uint32_t& hot_words) {
  return with_grid(&run_in_a_row<Offset>, hot_words, 1);
}

template FusedMembersKernel<std::uint32_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMembersKernel<edge_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMemberSearchesKernel<std::uint32_t> fused_member_searches_kernel(std::uint32_t&);
template FusedMemberSearchesKernel<edge_t> fused_member_searches_kernel(std::uint32_t&);

}  // namespace bfslab::cuda
