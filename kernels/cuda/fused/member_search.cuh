// SPDX-License-Identifier: Apache-2.0
// A search by several members (members.cuh), in step: all choose alike, by sums over all members
// that they exchange when they meet (member_meetings.cuh). All functions are called by all threads
// of a member unless they say otherwise.
#pragma once

#include "kernels/cuda/fused/member_lists.cuh"
#include "kernels/cuda/fused/member_meetings.cuh"

namespace bfslab::cuda {

template <typename Offset>
__device__ void note_meeting(const FusedMember<Offset>& work, level_t level) {
  if (work.traffic == nullptr || level >= work.counted_levels || work.team.me != 0) return;
  if (thread_in_grid() == 0) ++work.traffic[level].meetings;
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

// Notes the sums of `level`, which the last meeting has brought. Called by any thread.
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
  at.queue_from = 0;
}

// Takes the vertices that a bottom-up level has listed as the queue, if they are all that members
// have found, and the next level goes top-down. Called by one thread of each block.
template <typename Offset>
__device__ void take_listed(const FusedMember<Offset>& work, FusedMeetingCourse& course) {
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

// Runs a bottom-up level, up to its meeting.
template <bool kCounts, typename Offset>
__device__ void look_for_parents(const FusedMember<Offset>& work, FusedCourse& at) {
  const level_t level = at.at.level;
  const std::uint32_t hot_words = fused_hot_words(work, at.at.visited);
  if (work.parents != nullptr) see_front(work, level);
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
  const auto own_sums = [&] {
    return FusedSums{next.vertices, next.edges + next.early_edges, next.checked, next.ticket};
  };
  if (!meet_and_sum(work, course, FusedMeeting::looked, own_sums)) return false;
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

template <typename Offset, typename Course>
__device__ bool run_down(const FusedMember<Offset>& work, Course& course) {
  FusedCourse& at = course.course;
  const level_t level = at.at.level;
  // Edges that members do not know are 0.
  const bool is_few = work.found != nullptr && at.at.edges > 0 && at.at.edges <= kFusedFewEdges;
  if (runs(course)) {
    if (!at.at.is_queued) queue_front(work, at);
    if (work.parents != nullptr) {
      see_front(work, level);
      fused_barrier(work);
    }
  }
  // All members know the edges of this frontier if the level before went top-down.
  const bool is_late =
      !is_few && work.labels_late && at.at.edges > kLateEdges && work.rules.expects_up(at.at);
  if (runs(course)) {
    if (is_few) {
      fused_list_finds(work, at);
    } else {
      fused_expand(work, at);
    }
    note_meeting(work, level);
  }
  if (!meet(work, course, FusedMeeting::expanded, [] {})) return false;
  if (runs(course)) {
    if (is_few) {
      fused_claim_listed(work, at, level + 1);
    } else if (is_late) {
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
template <typename Offset, typename Course>
__device__ bool begin_search(const FusedMember<Offset>& work, vertex_t given, std::uint32_t woken,
                             Course& course) {
  const vertex_t place = fused_place_of_source(work, given);
  if (runs(course)) fused_member_reset(work);
  const vertex_t source = fused_id_of_place(work, place);
  const FusedMemberRoot root = fused_member_root(work, source);
  const FusedFirstRow row = fused_first_row(work, root.id);
  FusedRowEntry entry;
  if (row.is_short()) entry = fused_first_entry(work, root.id, row);
  std::uint32_t found = 0;
  edge_t edges = 0;
  if (runs(course)) {
    fused_add_root(work, root);
    if (row.is_short()) found = fused_find_first_row(work, root.level + 1, entry, edges);
  }
  await_links(woken);
  const LevelSlot& first = *work.slots.at(root.level);
  const auto own_sums = [&] {
    return row.is_short() ? FusedSums{found, edges, 0} : FusedSums{first.queued[0], first.edges, 0};
  };
  if (!meet_and_sum(work, course, FusedMeeting::reset, own_sums)) return false;
  if (runs(course)) {
    if (threadIdx.x == 0) {
      course.source = source;
      FusedCourse& at = course.course;
      at.at.level = root.level;
      if (row.is_short()) {
        at.at.edges = at.at.all_edges = row.length;
        at.at.advance(course.all.vertices, course.all.edges, false);
        at.queued = static_cast<std::uint32_t>(course.own.vertices);
      } else {
        at.at.frontier = course.all.vertices;
        at.at.edges = at.at.all_edges = course.all.edges;
        at.queued = first.queued[0];
      }
      note_sums(work, course, at.at.level);
    }
    if (thread_in_grid() == 0) fused_label_root(work, source, root);
    fused_label_first_row(work, root.level + 1, root.id, entry);
    if (is_logging(work)) {
      work.log.starts();
      if (root.level > 0) log_alone(work, source);
      if (row.is_short()) log_root(work, root, row.length);
    }
    __syncthreads();
  }
  // No level's meeting is between these labels and leaves, which read them.
  if (row.is_short() && course.all.vertices == 0) {
    return meet(work, course, FusedMeeting::begun, [] {});
  }
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
__device__ void end_search(const FusedMember<Offset>& work, Course& course) {
  const vertex_t source = course.source;
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

}  // namespace bfslab::cuda
