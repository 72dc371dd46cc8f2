// SPDX-License-Identifier: Apache-2.0
// Visits every edge of a frontier in its queue, by merge path (expand/merge_path.cuh), which
// balances frontiers of any size. sweep.cuh and claim.cuh define the work per edge.
#pragma once

#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/fused/turns.cuh"

namespace bfslab::cuda {

// Returns the sum that a level adds its finds to.
template <typename Work>
__device__ inline unsigned long long* fused_claimed(const Work& work, const FusedCourse& course) {
  return work.claimed + course.claims % kFusedClaims;
}
// Clears a later sum, whose last value all threads have read before the last barrier.
template <typename Work>
__device__ inline void fused_clear_claimed(const Work& work, const FusedCourse& course) {
  if (thread_in_grid() == 0) work.claimed[(course.claims + 2) % kFusedClaims] = 0;
}

// Reserves places for the finds of a warp's lanes by one atomic, and returns the lane's own. Called
// by all lanes.
template <typename Offset>
__device__ __forceinline__ FusedClaimed<Offset> fused_reserve(unsigned long long* claimed,
                                                              FusedClaimed<Offset> own) {
  const unsigned long long upto = inclusive_of_warp(own.both);
  unsigned long long base = 0;
  if (lane_id() == 31) base = atomicAdd(claimed, upto);
  return {__shfl_sync(kAllLanes, base, 31) + upto - own.both};
}

// Returns, for MergePathExpansion, the degrees that come before each entry. They are known if the
// entries were queued along with their edges (FusedClaimed).
template <typename Offset>
__device__ inline const edge_t* sum_degrees(const FusedRows<Offset>& rows,
                                            const ExpandScratch& scratch, const vertex_t* entries,
                                            std::uint32_t count) {
  if (rows.before != nullptr) return rows.before;
  return sum_degrees<FusedRows<Offset>>(rows, scratch, entries, count);
}

template <typename Offset>
__device__ __forceinline__ FusedRows<Offset> fused_rows(const FusedWork<Offset>& work) {
  return work.out;
}

// Called by all threads of the grid; course.queued is set by one thread of each block.
template <typename Work, EdgeAction Action>
__device__ void fused_visit_queue(const Work& work, const FusedCourse& course, Action& action) {
  const level_t level = course.at.level;
  RowsOf<decltype(fused_rows(work))> rows{fused_rows(work)};
  if (course.summed == level) rows.graph.before = course.sums;
  __syncthreads();
  MergePathExpansion(work.sums).run_whole(
      rows, QueueView{work.queues[level % 2] + course.queue_from, {}}, &course.queued, action);
}

}  // namespace bfslab::cuda
