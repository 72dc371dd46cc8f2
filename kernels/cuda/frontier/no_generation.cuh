// No frontier generation (papers/xbfs.txt section 4.1, Observation 2): the first top-down level
// behind bottom-up takes the last bottom-up queue as it is, and of its vertices those that have
// just been reached.
//
// Cost: 4 bytes of queue and one status word for each vertex that was unvisited before the last
// bottom-up level; no scan of all statuses. The queue is sorted, so rows lie in order.
//
// Asynchronous bottom-up finds vertices early, and two things follow (errata, "Async"):
//   * a vertex of this frontier that was found early, two levels before, is not in the last queue.
//     It needs no expansion: whoever was unvisited in the last bottom-up level read its whole row,
//     saw that vertex's level written already, and was found early in its turn;
//   * a vertex found early by the last bottom-up level belongs to the next frontier, and no claim
//     will put it there: queue_early() does, before the level runs.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

// `queued` are the entries of the bottom-up queue, by class. All threads of the grid.
template <typename Next>
__device__ void expand_reached(const CsrView& graph, const QueueView& queue,
                               const std::uint32_t* queued, const level_t* levels, level_t level,
                               LevelSlot* cleared, const Next& next) {
  typename Next::Tally tally;
  const unsigned lane = lane_id();
  for (int c = 0; c < kDegreeClasses; ++c) {
    const unsigned count = queued[c];
    for (unsigned first = thread_in_grid() - lane; first < count; first += threads_in_grid()) {
      const unsigned i = first + lane;
      vertex_t u = kNoVertex;
      edge_t begin = 0;
      edge_t end = 0;
      if (i < count) {
        const vertex_t v = queue.entries[queue.region[c] + i];
        if (levels[v] == level) {
          u = v;
          begin = graph.row_offsets[v];
          end = graph.row_offsets[v + std::size_t{1}];
        }
      }
      // Long rows by the whole warp, the rest by its threads.
      unsigned big = __ballot_sync(kAllLanes, end - begin >= kWarpDegree);
      while (big != 0) {
        const int owner = __ffs(static_cast<int>(big)) - 1;
        big &= big - 1;
        const vertex_t from = __shfl_sync(kAllLanes, u, owner);
        const edge_t to = __shfl_sync(kAllLanes, end, owner);
        for (edge_t e = __shfl_sync(kAllLanes, begin, owner) + lane; e < to; e += 32) {
          next.edge(graph, from, graph.columns[e], tally);
        }
        __syncwarp();
      }
      if (end - begin < kWarpDegree) {
        for (edge_t e = begin; e < end; ++e) next.edge(graph, u, graph.columns[e], tally);
      }
      __syncwarp();
    }
  }
  next.finish(tally);
  if (thread_in_grid() == 0) *cleared = LevelSlot{};
}

// Vertices of the bottom-up queue that were found early for `level`, into that level's queue. They
// are in the slot's early counts already. All threads of the grid.
__device__ inline void queue_early(const CsrView& graph, const QueueView& bottom_up,
                                   const std::uint32_t* queued, const level_t* levels,
                                   level_t level, const QueueView& queue, LevelSlot* next) {
  for (int c = 0; c < kDegreeClasses; ++c) {
    for (unsigned i = thread_in_grid(); i < queued[c]; i += threads_in_grid()) {
      const vertex_t v = bottom_up.entries[bottom_up.region[c] + i];
      if (levels[v] != level) continue;
      const edge_t degree = degree_of(graph, v);
      if (degree > 0) append(queue, next->queued, degree_class(degree), v);
    }
  }
}

}  // namespace bfslab::cuda
