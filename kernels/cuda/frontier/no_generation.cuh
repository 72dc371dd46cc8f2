// SPDX-License-Identifier: Apache-2.0
// No frontier generation (XBFS, section 4.1, Observation 2): the first top-down level after
// bottom-up takes the last bottom-up queue as it is, and of its vertices those that have just been
// reached.
//
// Cost: 4 bytes of queue and one status word for each vertex that was unvisited before the last
// bottom-up level; no scan of all statuses. The queue is sorted, so rows lie in order.
//
// Asynchronous bottom-up finds vertices early, and two things follow
// (docs/errata.md#xbfs-async):
//   * a vertex of this frontier that was found early, two levels before, is not in the last queue.
//     It needs no expansion: whoever was unvisited in the last bottom-up level read its whole row,
//     saw that vertex's level written already, and was found early in its turn;
//   * a vertex found early by the last bottom-up level belongs to the next frontier, and no claim
//     will put it there: queue_early() does, before the level runs.
#pragma once

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// The last bottom-up queue, of one region or of one for each class.
struct ClassedQueue {
  const QueueView& queue;                 // of the caller's memory
  const std::uint32_t* queued = nullptr;  // [classes]
  int classes = 1;
};

// Long rows by the whole warp, the rest by its threads. All threads of the grid.
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

// Vertices of the bottom-up queue that were found early for `level`, into that level's queue. They
// are in the slot's early counts already. All threads of the grid.
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
