// SPDX-License-Identifier: Apache-2.0
// The kernels of searches by several members (member_search.cuh). A member is a group of blocks
// (blockIdx.y) of one launch, or a launch on a GPU of its own, which wakes the links to the others
// while it resets. Members in launches that share a GPU have a launch for each step, between which
// their hosts meet.
#include "kernels/cuda/fused/members.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "kernels/cuda/fused/member_answers.cuh"
#include "kernels/cuda/fused/member_search.cuh"
#include "kernels/unsupported.hpp"

namespace bfslab::cuda {

namespace {

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

// Runs a launch whose course the block has. Called by all threads of the member.
template <bool kCounts, typename Offset, typename Course>
__device__ void run_launch(const FusedMember<Offset>& work, vertex_t given, bool is_fresh,
                           level_t max, Course& course) {
  const std::uint32_t woken = is_fresh ? wake_links(work.team) : 0;
  const bool begun = !is_fresh || begin_search(work, given, woken, course);
  if (begun) run_levels<kCounts>(work, course, max);
  if (!course.stops && max > 0 && course.course.at.frontier == 0) {
    end_search(work, course);
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
                        course.meeting == FusedMeeting::begun ||
                        (course.meeting == FusedMeeting::none && start == FusedStart::fresh);
  run_launch<kCounts>(work, given, is_fresh, max, course);
  if (thread_in_grid() == 0) *work.step = {course.meeting, course.own, course.all};
}

// A search's time begins where all members meet, and ends where this member's part of the answer is
// there: in place, if answers are put in place in the timer. Links are woken before the first.
template <typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_in_a_row(const FusedMember<Offset>* member,
                 const __grid_constant__ FusedMemberSearches searches) {
  using Course = FusedMeetingCourse;
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
    // All begin together.
    if (!meet(work, course, FusedMeeting::answered, [] {})) break;
    note_time(0);
    if (threadIdx.x == 0) course.course = FusedCourse{};
    if (!begin_search(work, searches.sources[search], 0, course)) break;
    run_levels<false>(work, course, ~level_t{0});
    if (course.stops) break;
    end_search(work, course);
    if (searches.maps_in_time) {
      if (!meet(work, course, FusedMeeting::answered, [] {})) break;
      fused_copy_answers(searches.map, course.course.at.level);
      fused_barrier(work);
      put();
      fused_barrier(work);
      note_time(1);
    } else {
      fused_barrier(work);
      note_time(1);
      if (!meet(work, course, FusedMeeting::answered, [] {})) break;
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
FusedMembersKernel<Offset> fused_step_kernel(std::uint32_t& hot_words, bool counts) {
  return with_grid(counts ? &run_member_step<true, Offset> : &run_member_step<false, Offset>,
                   hot_words, 1);
}

template <typename Offset>
FusedMemberSearchesKernel<Offset> fused_member_searches_kernel(std::uint32_t& hot_words) {
  return with_grid(&run_in_a_row<Offset>, hot_words, 1);
}

template FusedMembersKernel<std::uint32_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMembersKernel<edge_t> fused_members_kernel(std::uint32_t&, unsigned, bool);
template FusedMembersKernel<std::uint32_t> fused_step_kernel(std::uint32_t&, bool);
template FusedMembersKernel<edge_t> fused_step_kernel(std::uint32_t&, bool);
template FusedMemberSearchesKernel<std::uint32_t> fused_member_searches_kernel(std::uint32_t&);
template FusedMemberSearchesKernel<edge_t> fused_member_searches_kernel(std::uint32_t&);

}  // namespace bfslab::cuda
