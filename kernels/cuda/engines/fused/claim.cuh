// SPDX-License-Identifier: Apache-2.0
// Top-down levels of up to kClaimedEdges edges. The first thread to set a neighbour's bit labels
// the vertex, queues it for the next level, and reserves room for its edges among those of that
// level. This needs no sweep, and one barrier of the grid fewer than sweep.cuh.
#pragma once

#include "kernels/cuda/fused/top_down.cuh"

namespace bfslab::cuda {

// The edge action of a level that claims.
template <typename Offset>
struct FusedClaim {
  static constexpr int kBatch = 4;
  const FusedWork<Offset>& work;
  const FusedCourse& course;  // in shared memory: the visit of edges leaves few registers
  bool marks;                 // sets the next level's bits

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(work.visited + word); });
  }
  // Sets the vertex's bit, and returns whether this thread is the first to.
  [[nodiscard]] __device__ __forceinline__ bool take(vertex_t to) const {
    const std::uint32_t bit = 1U << to % 32;
    return (atomicOr(work.visited + to / 32, bit) & bit) == 0;
  }
  // Queues a vertex that was taken, at place `at`.
  __device__ __forceinline__ void put(FusedClaimed<Offset> at, vertex_t from, vertex_t to,
                                      std::uint32_t degree) const {
    const std::uint32_t place = at.vertices();
    const level_t next = course.at.level + 1;
    work.queues[next % 2][place] = to;
    work.edges_before[course.claims % 2][place + std::size_t{1}] = at.edges() + degree;
    if (marks) atomicOr(work.front[next % 2] + to / 32, 1U << to % 32);
    fused_label(work, next, from, to);
  }
  // Called by single lanes.
  __device__ void found(vertex_t from, vertex_t to) const {
    if (!take(to)) return;
    const auto degree = static_cast<std::uint32_t>(degree_of(work.out, to));
    put({atomicAdd(fused_claimed(work, course), FusedClaimed<Offset>::one(degree).both)}, from, to,
        degree);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedClaim<edge_t>>);

// Visits the edges of all lanes of a warp together, in place of the visit_batch() of other actions.
// All claims and degrees are requested at once, and one atomic reserves room for all finds.
template <int kCount, typename Offset>
__device__ __forceinline__ void visit_batch(FusedClaim<Offset>& claim,
                                            const vertex_t (&from)[kCount],
                                            const vertex_t (&to)[kCount]) {
  const unsigned open = claim.open_among(to);
  if (__any_sync(kAllLanes, open != 0) == 0) return;
  std::uint32_t degree[kCount] = {};
  bool taken[kCount] = {};
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if ((open >> j & 1U) == 0) continue;
    degree[j] = static_cast<std::uint32_t>(degree_of(claim.work.out, to[j]));
    taken[j] = claim.take(to[j]);
  }
  FusedClaimed<Offset> own;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    own.both += taken[j] ? FusedClaimed<Offset>::one(degree[j]).both : 0;
  }
  if (__any_sync(kAllLanes, own.both != 0) == 0) return;
  FusedClaimed<Offset> at = fused_reserve(fused_claimed(claim.work, claim.course), own);
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (!taken[j]) continue;
    claim.put(at, from[j], to[j], degree[j]);
    at.both += FusedClaimed<Offset>::one(degree[j]).both;
  }
}

// `marks`: sets the next frontier's bits, which are clear, and clears this frontier's for the level
// after it. Otherwise the next frontier is only queued.
template <typename Offset>
__device__ void fused_claim(const FusedWork<Offset>& work, const FusedCourse& course, bool marks) {
  const level_t level = course.at.level;
  if (marks && !course.clear[level % 2]) {
    std::uint32_t* const front = work.front[level % 2];
    for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) front[w] = 0;
  }
  fused_clear_claimed(work, course);
  FusedClaim<Offset> claim{work, course, marks};
  fused_visit_queue(work, course, claim);
}

}  // namespace bfslab::cuda
