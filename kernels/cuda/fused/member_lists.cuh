// SPDX-License-Identifier: Apache-2.0
// Top-down levels of few edges by several members: finds pass between members as lists, so that no
// member passes over the bits of what was visited. A member lists the ids that it is the first to
// find, as far as it knows, in its own memory. After a meeting each member reads all lists, claims
// its own vertices, labels and queues them, and sets their bits in every member's next frontier.
//
// These bits are added to those of the frontier two levels before, which stay: all neighbours of
// its vertices are visited, so that no level finds anything by them. The level after the next
// replaces all of them, unless it has few edges, too.
//
// Cost: an atomic per find, and 4 bytes per find for each other member; a remote atomic per vertex
// found and other member, and its parent. Sweeps win where finds are many.
//
// Functions of their own, not inlined: the kernel of a search has no registers left.
#pragma once

#include "kernels/cuda/fused/members.cuh"

namespace bfslab::cuda {

// Lists what this member has not seen.
template <typename Offset>
struct FusedMemberFinder {
  static constexpr int kBatch = 4;
  const FusedMember<Offset>& work;
  std::uint32_t* count;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(work.seen + word); });
  }
  // `from` by number, `to` by id.
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    const std::uint32_t bit = 1U << to % 32;
    if ((atomicOr(work.seen + to / 32, bit) & bit) != 0) return;
    const std::uint32_t place = append_place(count);
    stress_pause();
    work.found[place] = to;
    if (work.parents != nullptr) work.found_from[place] = fused_id(work, from);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedMemberFinder<edge_t>>);

// Visits the queue's edges, of which there are at most kFusedFewEdges. A meeting must follow.
template <typename Offset>
__device__ __noinline__ void fused_list_finds(const FusedMember<Offset>& work,
                                              const FusedCourse& course) {
  FusedMemberFinder<Offset> finder{work, &work.slots.at(course.at.level + 1)->candidates};
  fused_visit_queue(work, course, finder);
}

// Takes this member's vertices from all lists, as those of `level`, as fused_sweep() does.
template <typename Offset>
__device__ __noinline__ void fused_claim_listed(const FusedMember<Offset>& work,
                                                const FusedCourse& course, level_t level) {
  using Claimed = FusedClaimed<Offset>;
  unsigned long long* const claimed = fused_claimed(work, course);
  fused_clear_claimed(work, course);
  edge_t* const sums = work.sums.edges_before;
  if (thread_in_grid() == 0) sums[0] = 0;
  vertex_t* const queue = work.queues[level % 2];
  unsigned long long edges = 0;  // of wide offsets
  unsigned moved = 0;
  for (unsigned i = 0; i < work.team.members; ++i) {
    const unsigned m = (work.team.me + i) % work.team.members;
    const std::uint32_t count = of_peer(&work.slots_of[m][level % kSlots].candidates);
    for (std::uint32_t first = thread_in_grid() - lane_id(); first < count;
         first += threads_in_grid()) {
      const std::uint32_t at = first + lane_id();
      const vertex_t id = at < count ? of_peer(work.found_of[m] + at) : kNoVertex;
      if (m != work.team.me && at < count) ++moved;
      vertex_t v = id != kNoVertex ? fused_own_number(work, id) : kNoVertex;
      const std::uint32_t bit = 1U << v % 32;
      if (v != kNoVertex && (atomicOr(work.visited + v / 32, bit) & bit) != 0) v = kNoVertex;
      Claimed own;
      std::uint32_t degree = 0;
      if (v != kNoVertex) {
        degree = static_cast<std::uint32_t>(degree_of(work.out, v));
        own = Claimed::one(degree);
      }
      std::uint32_t place = 0;
      edge_t upto = 0;
      if constexpr (Claimed::kHoldsAll) {
        const Claimed before = fused_reserve(claimed, own);
        place = before.vertices();
        upto = before.edges() + degree;
      } else {
        place = places_of_warp(&work.slots.at(level)->queued[0], v != kNoVertex ? 1 : 0);
        edges += degree;
      }
      if (v == kNoVertex) continue;
      queue[place] = v;
      if constexpr (Claimed::kHoldsAll) sums[place + 1] = upto;
      work.levels[v] = level;
      if (work.parents != nullptr) {
        work.parents[v] = of_peer(work.found_from_of[m] + at);
        if (m != work.team.me) ++moved;
      }
      moved += fused_add_to_front(work, nullptr, level, v);
    }
  }
  if constexpr (!Claimed::kHoldsAll) add_of_block(edges, claimed);
  fused_count_moved(work, level - 1, moved);
}

}  // namespace bfslab::cuda
