// SPDX-License-Identifier: Apache-2.0
// Levels that go both ways, in ids by degree: the first ids are hubs, and the other vertices of the
// frontier are light. Light vertices are many and have few edges, which are visited top-down.
// Afterwards bottom-up looks for parents among hubs only: rows ascend, so that each ends at its
// first light entry, and the bits of hubs are in shared memory.
//
// Example: vertices 0 to 8191 are hubs, and the frontier is {5, 9000}. The edges of 9000 set the
// bits of its neighbours. A vertex with the row 3, 40, 9000 looks at 3 and 40, and no further.
//
// The rows of light vertices are shared out in segments, as are rows that bottom-up puts aside.
// Cost: two offsets per light vertex, 4 bytes and a random bit per edge, two barriers of the grid.
// All threads of the grid call these functions, with a barrier between them and after them.
#pragma once

#include "kernels/cuda/engines/fused/sweep.cuh"

namespace bfslab::cuda {

// Returns the counter of the segments that `level` lists. Classes of degrees have no other use.
template <typename Offset>
__device__ std::uint32_t* fused_light_count(const FusedWork<Offset>& work, level_t level) {
  return &work.slots.at(level + 1)->queued[1];
}

// Lists the segments of the rows of the light vertices among the `queued` ones of `level`'s queue.
// The list follows the vertices in both queues, which have room for it
// (FusedRules::goes_both_ways).
template <typename Offset>
__device__ void fused_list_light(const FusedWork<Offset>& work, level_t level,
                                 std::uint32_t queued) {
  const vertex_t* const queue = work.queues[level % 2];
  for (std::uint32_t first = thread_in_grid() - lane_id(); first < queued;
       first += threads_in_grid()) {
    const std::uint32_t i = first + lane_id();
    const vertex_t v = i < queued ? queue[i] : 0;
    const bool is_light = i < queued && v >= work.hubs;
    const edge_t degree = is_light ? degree_of(work.out, v) : 0;
    const auto own = static_cast<std::uint32_t>((degree + kFusedSegment - 1) / kFusedSegment);
    std::uint32_t place = queued + places_of_warp(fused_light_count(work, level), own);
    for (std::uint32_t segment = 0; segment < own; ++segment, ++place) {
      work.queues[0][place] = v;
      work.queues[1][place] = segment;
    }
  }
}

// Sets the bits of the neighbours in the segments, eight lanes each. The level that follows labels
// these vertices: until then they are visited, but not `before`.
template <bool kCounts, typename Offset>
__device__ void fused_visit_light(const FusedWork<Offset>& work, level_t level,
                                  std::uint32_t queued) {
  constexpr unsigned kLanes = 8;
  const std::uint32_t end = queued + *fused_light_count(work, level);
  FusedVisit visit{{work.visited, work.parents}};
  unsigned long long entries = 0;
  for (std::uint32_t i = queued + thread_in_grid() / kLanes; i < end;
       i += threads_in_grid() / kLanes) {
    const vertex_t v = work.queues[0][i];
    const edge_t row = work.out.row_offsets[v];
    const edge_t begin = row + edge_t{kFusedSegment} * work.queues[1][i];
    const edge_t row_end = work.out.row_offsets[v + std::size_t{1}];
    const EdgeRange range{v, begin, min(row_end, begin + kFusedSegment), 1};
    if (lane_id() % kLanes == 0) entries += range.end - range.begin;
    visit_edges(visit, work.out, range, lane_id() % kLanes, kLanes);
  }
  if constexpr (kCounts) add_of_block(entries, &work.slots.at(level + 1)->checked);
}

}  // namespace bfslab::cuda
