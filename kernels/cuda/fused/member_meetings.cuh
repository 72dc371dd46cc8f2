// SPDX-License-Identifier: Apache-2.0
// The meetings of a search by several members, and its state between them. Kernels that run at the
// same time meet inside (traversal/meeting.cuh). Those of members that share a GPU may not, so that
// their hosts meet: each launch runs a step, from one meeting to the next.
//
// Both have the same text (member_search.cuh). A launch that goes on after a meeting passes over
// all that comes before it, without work: runs() is false until the meeting is reached. What a
// function computes from the course alone is computed again.
#pragma once

#include "kernels/cuda/fused/members.cuh"
#include "kernels/cuda/fused/members.hpp"

namespace bfslab::cuda {

// The state of a search in the shared memory of a block.
struct FusedMeetingCourse : FusedMemberCourse {
  FusedSums all, own;  // of the last meeting with sums
  bool stops = false;  // a member gave up, or the step is over
};

// The same where hosts meet.
struct FusedStepCourse : FusedMeetingCourse {
  // The meeting that this launch goes on from, until it is reached; the next one at its end.
  FusedMeeting meeting = FusedMeeting::none;
};

// Returns whether this launch does the work that comes next.
__device__ __forceinline__ bool runs(const FusedMeetingCourse& /*course*/) { return true; }
__device__ __forceinline__ bool runs(const FusedStepCourse& course) {
  return course.meeting == FusedMeeting::none;
}

// Meets the other members. Called by all threads of the member. Returns false if the launch ends,
// since a member gave up.
template <typename Offset, typename LastWords>
__device__ bool meet(const FusedMember<Offset>& work, FusedMeetingCourse& course,
                     FusedMeeting /*meeting*/, LastWords last_words) {
  if (threadIdx.x == 0) ++course.meetings;
  const bool together = meet(
      work.team, course.meetings, [&work] { fused_barrier(work); }, last_words);
  if (threadIdx.x == 0 && !together) course.stops = true;
  __syncthreads();
  return together;
}

// The same where hosts meet. Returns false if the launch ends here, so that they can.
template <typename Offset, typename LastWords>
__device__ bool meet(const FusedMember<Offset>& /*work*/, FusedStepCourse& course,
                     FusedMeeting meeting, LastWords /*last_words*/) {
  __syncthreads();  // all threads have read the course
  if (threadIdx.x == 0) {
    if (runs(course)) {
      course.meeting = meeting;
      course.stops = true;
    } else if (course.meeting == meeting) {
      course.meeting = FusedMeeting::none;
    }
  }
  __syncthreads();
  return !course.stops;
}

// Meets, and sums what all members have found into course.all. own_sums() returns this member's
// share and is called after all its threads have arrived.
template <typename Offset, typename OwnSums>
__device__ bool meet_and_sum(const FusedMember<Offset>& work, FusedMeetingCourse& course,
                             FusedMeeting meeting, OwnSums own_sums) {
  const unsigned members = work.team.members;
  const unsigned me = work.team.me;
  const bool together = meet(work, course, meeting, [&] {
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

// The same where hosts meet and sum.
template <typename Offset, typename OwnSums>
__device__ bool meet_and_sum(const FusedMember<Offset>& work, FusedStepCourse& course,
                             FusedMeeting meeting, OwnSums own_sums) {
  if (runs(course)) {
    fused_barrier(work);
    if (threadIdx.x == 0) course.own = own_sums();
  }
  return meet(work, course, meeting, [] {});
}

}  // namespace bfslab::cuda
