// The parts of an xbfs level, given what they need of a traversal: for its kernels of their own
// (xbfs_levels.cu) and for the one that runs all levels (xbfs_persistent.cu).
#pragma once

#include <type_traits>

#include "kernels/cuda/bottom_up/bottom_up.cuh"
#include "kernels/cuda/expand/degree_classes.cuh"
#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/no_generation.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/scan_free.cuh"
#include "kernels/cuda/frontier/scan_layout.hpp"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/xbfs_work.hpp"

namespace bfslab::cuda {

// By one thread: the source into the first frontier and its slot.
__device__ inline void start_at(const XbfsWork& work, vertex_t source) {
  work.levels[source] = 0;
  if (work.parents != nullptr) work.parents[source] = source;
  LevelSlot first;
  first.vertices = 1;
  first.edges = degree_of(work.outgoing, source);
  if (first.edges > 0) {
    const int of_class = degree_class(first.edges);
    const QueueView& queue = work.queue(0);
    queue.entries[queue.region[of_class]] = source;
    first.queued[of_class] = 1;
  }
  *work.slot(0) = first;
}

// By all threads of the grid, each the owner of a segment.
__device__ inline DoubleScan segments_of_grid(const XbfsWork& work) {
  return {work.levels, work.enterable, work.incoming,
          ScanLayout::segment_of(work.incoming.vertices, threads_in_grid())};
}

__device__ inline PrefixScan unvisited_in_runs(const XbfsWork& work) {
  return {.levels = work.levels, .wanted = kUnreached, .graph = work.incoming, .in_runs = true};
}

__device__ inline PrefixScan vertices_at(const XbfsWork& work, level_t level) {
  return {.levels = work.levels, .wanted = level, .graph = work.outgoing};
}

__device__ inline BottomUp look_of(const XbfsWork& work, level_t level) {
  return {.incoming = work.incoming,
          .outgoing = work.outgoing,
          .queue = work.bottom_up,
          .queued = work.bottom_up_queued,
          .levels = work.levels,
          .parents = work.parents,
          .level = level,
          .next = work.slot(level + 1),
          .after = work.slot(level + 2),
          .cleared = work.slot(level + 3),
          .hubs = work.hubs,
          .hub_count = work.hub_count};
}

// What an edge from `level` does: ScanFree or MarkOnly.
template <typename Next>
__device__ Next next_of(const XbfsWork& work, level_t level) {
  const Visit visit{work.levels, work.parents, level + 1};
  if constexpr (std::is_same_v<Next, ScanFree>) {
    return {visit, work.queue(level + 1), work.slot(level + 1)};
  } else {
    return {visit};
  }
}

template <typename Next>
__device__ void expand_queue(const XbfsWork& work, level_t level) {
  expand_by_class(work.outgoing, work.queue(level), work.slot(level), work.slot(level + 3),
                  next_of<Next>(work, level));
}

template <typename Next>
__device__ void expand_bottom_up_queue(const XbfsWork& work, level_t level) {
  expand_reached(work.outgoing, work.bottom_up, work.bottom_up_queued, work.levels, level,
                 work.slot(level + 3), next_of<Next>(work, level));
}

__device__ inline void queue_early_of(const XbfsWork& work, level_t level) {
  queue_early(work.outgoing, work.bottom_up, work.bottom_up_queued, work.levels, level + 1,
              work.queue(level + 1), work.slot(level + 1));
}

__device__ inline void gather_next(const XbfsWork& work, level_t level) {
  gather_level(work.outgoing, work.levels, level + 1, work.queue(level + 1), work.slot(level + 1));
}

}  // namespace bfslab::cuda
