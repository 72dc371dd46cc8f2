// SPDX-License-Identifier: Apache-2.0
// Runs the levels of `fused` by several members (members.cuh), in step: all choose alike, by sums
// over all members that they exchange when they meet (member_meetings.cuh). A member is a group of
// blocks (blockIdx.y) of one launch, or a launch on a GPU of its own, which wakes the links to the
// others while it resets. Members in launches that share a GPU have a launch for each step, between
// which their hosts meet.
#include "kernels/cuda/fused/members.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/cuda/fused/member_meetings.cuh"
#include "kernels/unsupported.hpp"

namespace bfslab::cuda {

namespace {

template <typename Offset>
__device__ void note_meeting(const FusedMember<Offset>& work, level_t level) {
  if (work.traffic == nullptr || level >= work.counted_levels || work.team.me != 0) return;
  if (thread_in_grid() == 0) ++work.traffic[level].meetings;
}

// Notes the frontier of `level` among what is visited, for the visits of this member.
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
__device__ void note_sums(const FusedMember<Offset>& work, const FusedMeetingCourse& course,
                          level_t level) {
  if (!is_logging(work)) return;
  const FusedSums& sums = work.logs_own ? course.own : course.all;
  LevelSlot& slot = *work.totals.at(level);
  slot.vertices = sums.vertices;
  slot.edges = sums.edges;
  slot.checked = sums.checked;
}

// Goes on to the next level, with course.all. Called by one thread of each block.
template <typename Offset>
__device__ void advance(const FusedMember<Offset>& work, FusedMeetingCourse& course, bool up) {
  FusedCourse& at = course.course;
  const FusedSums& all = course.all;
  note_sums(work, course, at.at.level + 1);
  at.at.advance(all.vertices, up ? 0 : all.edges, up);
  at.at.is_queued = false;
  at.owes_labels = false;
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

// Runs a bottom-up level, up to its meeting.
template <bool kCounts, typename Offset>
__device__ void look_for_parents(const FusedMember<Offset>& work, FusedCourse& at) {
  const level_t level = at.at.level;
  const std::uint32_t hot_words = fused_hot_words(work, at.at.visited);
  see_front(work, level);
  if (hot_words > 0) {
    fused_bottom_up<kCounts, true>(work, level, hot_words, at.owes_labels);
  } else {
    fused_bottom_up<kCounts, false>(work, level, hot_words, at.owes_labels);
  }
  fused_barrier(work);
  if (threadIdx.x == 0) at.aside = work.slots.at(level + 1)->candidates;
  __syncthreads();
  if (at.aside > 0) fused_bottom_up_aside<kCounts>(work, level, hot_words, at.aside);
  if constexpr (kCounts) {
    fused_barrier(work);
    fused_sum_edges(work, level + 1);
  }
  note_meeting(work, level);
}

template <bool kCounts, typename Offset, typename Course>
__device__ bool run_up(const FusedMember<Offset>& work, Course& course) {
  if (runs(course)) look_for_parents<kCounts>(work, course.course);
  const LevelSlot& next = *work.slots.at(course.course.at.level + 1);
  const auto own_sums = [&] { return FusedSums{next.vertices, next.edges, next.checked}; };
  if (!meet_and_sum(work, course, FusedMeeting::looked, own_sums)) return false;
  if (threadIdx.x == 0) advance(work, course, true);
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
  if (threadIdx.x != 0) return;
  take_queue(work, at, level);
  at.at.is_queued = true;
  at.owes_labels = false;
}

template <typename Offset, typename Course>
__device__ bool run_down(const FusedMember<Offset>& work, Course& course) {
  FusedCourse& at = course.course;
  const level_t level = at.at.level;
  if (runs(course)) {
    if (!at.at.is_queued) queue_front(work, at);
    see_front(work, level);
    fused_barrier(work);
  }
  // All members know the edges of this frontier if the level before went top-down.
  const bool is_late = work.labels_late && at.at.edges > kLateEdges && work.rules.expects_up(at.at);
  if (runs(course)) {
    fused_expand(work, at);
    note_meeting(work, level);
  }
  if (!meet(work, course, FusedMeeting::expanded, [] {})) return false;
  if (runs(course)) {
    if (is_late) {
      fused_sweep_late(work, level + 1);
    } else {
      fused_sweep(work, at, level + 1);
    }
    note_meeting(work, level);
  }
  const LevelSlot& next = *work.slots.at(level + 1);
  const unsigned long long* const claimed = fused_claimed(work, at);
  const auto own_sums = [&] {
    if (is_late) return FusedSums{next.vertices, next.edges, 0};
    const FusedClaimed<Offset> made{*claimed};
    const bool has_all = FusedClaimed<Offset>::kHoldsAll;
    return FusedSums{has_all ? made.vertices() : next.queued[0], made.edges(), 0};
  };
  if (!meet_and_sum(work, course, FusedMeeting::swept, own_sums)) return false;
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

// Resets, and begins at the source. Called by all threads of the member. `woken`: by wake_links().
template <typename Offset, typename Course>
__device__ bool begin_search(const FusedMember<Offset>& work, vertex_t source, std::uint32_t woken,
                             Course& course) {
  const FusedMemberRoot root = fused_member_root(work, source);
  if (runs(course)) fused_member_reset(work, root);
  await_links(woken);
  const LevelSlot& first = *work.slots.at(root.level);
  const auto own_sums = [&] { return FusedSums{first.queued[0], first.edges, 0}; };
  if (!meet_and_sum(work, course, FusedMeeting::reset, own_sums)) return false;
  if (threadIdx.x == 0) {
    FusedCourse& at = course.course;
    at.at.level = root.level;
    at.at.frontier = course.all.vertices;
    at.at.edges = at.at.all_edges = course.all.edges;
    at.queued = first.queued[0];
  }
  if (thread_in_grid() == 0) fused_label_root(work, source, root);
  if (is_logging(work)) {
    work.log.starts();
    if (root.level > 0) log_alone(work, source);
  }
  note_sums(work, course, root.level);
  __syncthreads();
  return true;
}

template <bool kCounts, typename Offset, typename Course>
__device__ void run_levels(const FusedMember<Offset>& work, Course& course, level_t max) {
  FusedCourse& at = course.course;
  const bool leads = is_logging(work);
  for (level_t ran = 0; at.at.frontier > 0 && ran < max; ++ran) {
    const level_t level = at.at.level;
    const FusedKind kind = work.rules.kind(at.at);
    __syncthreads();  // all threads read the course before it changes
    if (leads && runs(course)) {
      work.log.level_is(level, kind);
      work.totals.clear_ahead_of(level);
    }
    if (thread_in_grid() == 0 && runs(course)) work.slots.clear_ahead_of(level);
    const bool together = kind == kFusedUp ? run_up<kCounts>(work, course) : run_down(work, course);
    if (!together) return;
    if (leads) work.log.level_ended(level, *work.totals.at(level));
    __syncthreads();
  }
}

// Labels what the levels have not. Called by all threads of the member; a barrier must follow.
template <typename Offset, typename Course>
__device__ void end_search(const FusedMember<Offset>& work, vertex_t source, Course& course) {
  const level_t end = course.course.at.level;
  if (is_logging(work) && runs(course)) {
    if (end == 0) {  // the source has no edges, or only one to a leaf
      log_alone(work, source);
    } else if (end < work.log.capacity) {
      work.log.records[end] = LevelRecord{.kind = kFusedSmall, .end_ns = device_ns()};
    }
  }
  if (work.log.head != nullptr && !meet(work, course, FusedMeeting::logged, [] {})) return;
  if (runs(course)) {
    fused_label_rest(work, kNoVertex);
    fused_label_leaves(work, source, end);
    if (work.packed != nullptr) {
      fused_barrier(work);
      fused_pack_levels(work, end + 1);  // with leaves
    }
  }
}

// Runs a launch whose course the block has. Called by all threads of the member.
template <bool kCounts, typename Offset, typename Course>
__device__ void run_launch(const FusedMember<Offset>& work, vertex_t given, bool is_fresh,
                           level_t max, Course& course) {
  const std::uint32_t woken = is_fresh ? wake_links(work.team) : 0;
  const vertex_t source = fused_id_of_source(work, given);
  const bool begun = !is_fresh || begin_search(work, source, woken, course);
  if (begun) run_levels<kCounts>(work, course, max);
  if (!course.stops && max > 0 && course.course.at.frontier == 0) {
    end_search(work, source, course);
    if (work.ends_met) meet(work, course, FusedMeeting::answered, [] {});
  }
  fused_barrier(work);  // all have read the state that the last launch has left
  if (thread_in_grid() == 0) *work.state = course;
}

template <bool kCounts, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_members(const FusedMember<Offset>* members, vertex_t given, FusedStart start, level_t max) {
  using Course = FusedMeetingCourse;
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
  run_launch<kCounts>(work, given, start == FusedStart::fresh, max, course);
}

// Runs a step of a member whose hosts meet. `start` and `max` are those of all its steps.
template <bool kCounts, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_member_step(const FusedMember<Offset>* member, vertex_t given, FusedStart start,
                    level_t max) {
  using Course = FusedStepCourse;
  alignas(Course) __shared__ unsigned char course_bytes[sizeof(Course)];
  auto& course = *reinterpret_cast<Course*>(course_bytes);
  const FusedMember<Offset>& work = *member;
  if (threadIdx.x == 0) {
    new (course_bytes) Course;
    const FusedStep& step = *work.step;
    course.meeting = step.meeting;
    course.own = step.own;
    course.all = step.all;
    if (start != FusedStart::fresh || step.meeting != FusedMeeting::none) {
      static_cast<FusedMemberCourse&>(course) = *work.state;
    }
  }
  __syncthreads();
  const bool is_fresh = course.meeting == FusedMeeting::reset ||
                        (course.meeting == FusedMeeting::none && start == FusedStart::fresh);
  run_launch<kCounts>(work, given, is_fresh, max, course);
  if (thread_in_grid() == 0) *work.step = {course.meeting, course.own, course.all};
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
FusedMembersKernel<Offset> fused_step_kernel(std::uint32_t& hot_words, bool counts) {
  return with_grid(counts ? &run_member_step<true, Offset> : &run_member_step<false, Offset>,
                   hot_words, 1);
}

template FusedMembersKernel<std::uint32_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMembersKernel<edge_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMembersKernel<std::uint32_t> fused_step_kernel(std::uint32_t&, bool);
template FusedMembersKernel<edge_t> fused_step_kernel(std::uint32_t&, bool);

}  // namespace bfslab::cuda
