// SPDX-License-Identifier: Apache-2.0
// Visits every edge of a frontier in its queue, by merge path (expand/merge_path.cuh), which
// balances frontiers of any size. sweep.cuh and claim.cuh define the work per edge.
#pragma once

#include "kernels/cuda/engines/fused/turns.cuh"
#include "kernels/cuda/expand/merge_path.cuh"

namespace bfslab::cuda {

// Returns, for MergePathExpansion, the degrees that come before each entry. They are known if the
// entries were queued along with their edges (claim.cuh).
template <typename Offset>
__device__ inline const edge_t* sum_degrees(const FusedRows<Offset>& rows,
                                            const ExpandScratch& scratch, const vertex_t* entries,
                                            std::uint32_t count) {
  if (rows.before != nullptr) return rows.before;
  return sum_degrees<FusedRows<Offset>>(rows, scratch, entries, count);
}

// Called by all threads of the grid; course.queued is set by one thread of each block.
template <typename Offset, EdgeAction Action>
__device__ void fused_visit_queue(const FusedWork<Offset>& work, const FusedCourse& course,
                                  Action& action) {
  const level_t level = course.at.level;
  RowsOf<FusedRows<Offset>> rows{work.out};
  if (course.summed == level) rows.graph.before = work.edges_before[(course.claims + 1) % 2];
  __syncthreads();
  MergePathExpansion(work.sums).run_whole(
      rows, QueueView{work.queues[level % 2] + course.queue_from, {}}, &course.queued, action);
}

}  // namespace bfslab::cuda
