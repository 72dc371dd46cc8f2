// SPDX-License-Identifier: Apache-2.0
// No frontier generation (XBFS, section 4.1, Observation 2). The first top-down level after
// bottom-up takes the last bottom-up queue as it is and uses its newly reached vertices.
//
// Cost: 4 bytes of queue and one status word for each vertex that was unvisited before the last
// bottom-up level; no scan of all statuses. The queue is sorted, so rows lie in order.
//
// Asynchronous bottom-up finds vertices early, with two consequences (docs/errata.md#xbfs-async):
//   * A vertex of this frontier that was found early, two levels before, is not in the last queue.
//     It needs no expansion: every vertex unvisited in the last bottom-up level read its whole row,
//     saw that this vertex already had a level, and was itself found early.
//   * A vertex that the last bottom-up level found early belongs to the next frontier, and no claim
//     will put it there. queue_early() does so before the level runs.
#pragma once

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// The last bottom-up queue, with one region or one per class.
struct ClassedQueue {
  const QueueView& queue;                 // in the caller's memory
  const std::uint32_t* queued = nullptr;  // [classes]
  int classes = 1;
};

// Warps take long rows whole, threads the others. Called by all threads of the grid.
template <EdgeAction Action>
__device__ void expand_reached(const CsrView& graph, const ClassedQueue& last,
                               const level_t* levels, level_t level, Action& action) {
  const VertexRows rows{graph};
  const unsigned lane = lane_id();
  for (int c = 0; c < last.classes; ++c) {
    const unsigned count = last.queued[c];
    for (unsigned first = thread_in_grid() - lane; first < count; first += threads_in_grid()) {
      const unsigned i = first + lane;
      EdgeRange row;
      if (i < count) {
        const vertex_t v = last.queue.entries[last.queue.region[c] + i];
        if (levels[v] == level) row = rows.range_of(v);
      }
      const bool is_long = row.end - row.begin >= kWarpDegree;
      unsigned big = __ballot_sync(kAllLanes, is_long);
      while (big != 0) {
        const int owner = __ffs(static_cast<int>(big)) - 1;
        big &= big - 1;
        const EdgeRange of_owner{__shfl_sync(kAllLanes, row.u, owner),
                                 __shfl_sync(kAllLanes, row.begin, owner),
                                 __shfl_sync(kAllLanes, row.end, owner), 1};
        visit_edges(action, graph, of_owner, lane, 32);
        __syncwarp();
      }
      if (!is_long) visit_edges(action, graph, row, 0, 1);
      __syncwarp();
    }
  }
}

// Adds the vertices of the bottom-up queue that were found early for `level` to that level's queue.
// The slot's early counts already include them. Called by all threads of the grid.
__device__ inline void queue_early(const Traversal& work, const ClassedQueue& last, level_t level,
                                   bool by_class) {
  for (int c = 0; c < last.classes; ++c) {
    for (unsigned i = thread_in_grid(); i < last.queued[c]; i += threads_in_grid()) {
      const vertex_t v = last.queue.entries[last.queue.region[c] + i];
      if (work.status.levels[v] != level) continue;
      enqueue(work.outgoing, work.queue_of(level), work.slot(level)->queued, v, {by_class, false});
    }
  }
}

}  // namespace bfslab::cuda
