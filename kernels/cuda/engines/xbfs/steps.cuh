// SPDX-License-Identifier: Apache-2.0
// The parts of an xbfs level with the data that they need of a traversal, for the separate kernels
// (levels.cu) and for the one that runs all levels (persistent.cu).
#pragma once

#include "kernels/cuda/bottom_up/first_neighbors_level.cuh"
#include "kernels/cuda/bottom_up/look.cuh"
#include "kernels/cuda/bottom_up/unvisited_list.cuh"
#include "kernels/cuda/engines/xbfs/work.hpp"
#include "kernels/cuda/expand/degree_classes.cuh"
#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/no_generation.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/scan_free.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/traversal/scan_layout.hpp"

namespace bfslab::cuda {

// Called by one thread of the grid, once per level.
__device__ inline void clear_ahead(const XbfsWork& work, level_t level) {
  if (thread_in_grid() == 0) work.slots.clear_ahead_of(level);
}

// Called by all threads of the grid, each the owner of a segment.
__device__ inline DoubleScan segments_of_grid(const XbfsWork& work) {
  return {work.status.levels, work.enterable, work.incoming,
          ScanLayout::segment_of(work.incoming.vertices, threads_in_grid())};
}

__device__ inline PrefixScan unvisited(const XbfsWork& work, bool in_runs) {
  return {.levels = work.status.levels,
          .wanted = kUnreached,
          .graph = work.incoming,
          .in_runs = in_runs,
          .edgeless = work.rules.edgeless};
}

__device__ inline PrefixScan vertices_at(const XbfsWork& work, level_t level) {
  return {.levels = work.status.levels, .wanted = level, .graph = work.outgoing};
}

// Returns the queue of the last bottom-up level, for the top-down level after it.
__device__ inline ClassedQueue last_bottom_up_queue(const XbfsWork& work, level_t level) {
  if (work.rules.keeps_list) {
    return {work.lists[(level - 1) % 2], &work.slot(level - 1)->unvisited, 1};
  }
  return {work.bottom_up, work.bottom_up_queued, work.bottom_up_classes};
}

// A bottom-up level over its queue: `run` shares out the queue's vertices, or some of them.
// `hub_slots`: kHubSlots ids of shared memory if there is a hub cache. Called by all threads of the
// grid.
template <bool kAsync, bool kCount, typename Run>
__device__ void look_up_by(const XbfsWork& work, level_t level, vertex_t* hub_slots,
                           const Run& run) {
  const BottomUp look{.traversal = work,
                      .queue = work.bottom_up,
                      .queued = work.bottom_up_queued,
                      .level = level,
                      .hubs = work.hubs,
                      .hub_count = work.hub_count};
  Looker<kAsync, kCount> looker{look, fill_hub_cache(look, hub_slots)};
  run(look, looker);
  looker.finish();
}

// All of them, by any balance.
template <typename Balance, bool kAsync, bool kCount>
__device__ void look_up(const XbfsWork& work, level_t level, vertex_t* hub_slots) {
  look_up_by<kAsync, kCount>(work, level, hub_slots, [](const BottomUp& look, auto& looker) {
    Balance::run(look, looker);
  });
}

// The edge actions of xbfs's own top-down levels.
using QueueByClass = ScanFree<true>;

template <typename Action>
__device__ Action action_of(const XbfsWork& work, level_t level) {
  const Visit visit{work.status, level + 1};
  if constexpr (std::is_same_v<Action, QueueByClass>) {
    return {work.outgoing, visit, work.queue_of(level + 1), work.slot(level + 1)};
  } else {
    return {visit};
  }
}

template <typename Action>
__device__ void expand_queue(const XbfsWork& work, level_t level) {
  auto action = action_of<Action>(work, level);
  DegreeClassesExpansion({}).run_whole(VertexRows{work.outgoing}, work.queue_of(level),
                                       work.slot(level)->queued, action);
  action.finish();
}

// The vertices of one degree class.
template <typename Action>
__device__ void expand_class_of_queue(const XbfsWork& work, level_t level, int of_class) {
  auto action = action_of<Action>(work, level);
  DegreeClassesExpansion::run_class(VertexRows{work.outgoing}, work.queue_of(level),
                                    work.slot(level)->queued, of_class, action);
  action.finish();
}

template <typename Action>
__device__ void expand_bottom_up_queue(const XbfsWork& work, level_t level, Action action) {
  expand_reached(work.outgoing, last_bottom_up_queue(work, level), work.status.levels, level,
                 action);
  action.finish();
}

__device__ inline void gather_next(const XbfsWork& work, level_t level) {
  gather_by_class(work.outgoing, work.items, work.status.levels, level + 1,
                  work.queue_of(level + 1), work.slot(level + 1), true);
}

}  // namespace bfslab::cuda
