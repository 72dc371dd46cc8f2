// SPDX-License-Identifier: Apache-2.0
// Double-scan generation of the bottom-up queue (XBFS, section 4.2): sorted as by a prefix sum over
// runs, yet read coalesced. Statuses are cut into segments, one per lane. The lanes of a warp go
// through their 32 segments together. A ballot finds the unvisited among 32 statuses, and the lane
// that owns the segment keeps the count. A prefix sum over all segments follows, and a second scan
// puts the vertices in place.
//
// Deviations: in the second scan the lanes that read the unvisited vertices also write them, at
// places that the ballot gives, so that writes are coalesced too; in the paper the segment's owner
// writes. Vertices without in-edges can never be found, and a set-up bitmap omits them.
//
// Cost: 8n bytes of statuses, n / 4 of bitmap, 4 per vertex found, and a scan over the segments;
// with degree classes also 16 bytes of offsets per vertex found, twice.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

struct DoubleScan {
  const level_t* levels = nullptr;
  const std::uint32_t* enterable = nullptr;  // [ceil(n / 32)] bit v: some edge enters v
  CsrView graph;                             // the in-edges; its degrees class the vertices
  std::uint32_t segment = 0;                 // statuses, a multiple of 32
};

// One of the two scans. Called by all threads of the grid, each the owner of a segment. The first
// scan leaves in `own` how many vertices of the segment enter the queue; the second reads their
// places.
template <int kClasses, bool kScatter>
__device__ void scan_segments(const DoubleScan& scan, std::uint32_t (&own)[kClasses],
                              const QueueView& queue) {
  constexpr int kBallots = 8;  // statuses that a lane has in flight
  const unsigned lane = lane_id();
  const std::size_t begin = std::size_t{thread_in_grid() - lane} * scan.segment;
  const std::size_t end = min(begin + std::size_t{32} * scan.segment, scan.graph.vertices + 0UL);
  // The segments of a warp are adjacent; a ballot covers one of them, `owner`'s.
  unsigned owner = 0;
  unsigned left = scan.segment / 32;
  for (std::size_t chunk = begin; chunk < end; chunk += kBallots * 32) {
    bool unvisited[kBallots];
#pragma unroll
    for (int b = 0; b < kBallots; ++b) {
      const std::size_t v = chunk + b * 32 + lane;
      unvisited[b] =
          v < end && scan.levels[v] == kUnreached && (scan.enterable[v / 32] >> lane & 1U) != 0;
    }
#pragma unroll
    for (int b = 0; b < kBallots; ++b) {
      const auto v = static_cast<vertex_t>(chunk + b * 32 + lane);
      int of_class = unvisited[b] ? 0 : -1;
      if (kClasses > 1 && unvisited[b]) of_class = degree_class(degree_of(scan.graph, v));
#pragma unroll
      for (int c = 0; c < kClasses; ++c) {
        const unsigned found = __ballot_sync(kAllLanes, of_class == c);
        if constexpr (kScatter) {
          const std::uint32_t place = __shfl_sync(kAllLanes, own[c], static_cast<int>(owner));
          if (of_class == c) {
            queue.entries[queue.region[c] + place + __popc(found & lanes_below())] = v;
          }
        }
        if (lane == owner) own[c] += static_cast<std::uint32_t>(__popc(found));
      }
      if (--left == 0) {
        left = scan.segment / 32;
        ++owner;
      }
    }
  }
}

// Marks the vertices that some edge enters, once at set-up. 32 threads share a word.
inline __global__ void __launch_bounds__(256)
    mark_enterable(CsrView incoming, std::uint32_t* enterable) {
  const std::size_t n = incoming.vertices;
  for (std::size_t first = thread_in_grid() - lane_id(); first < n; first += threads_in_grid()) {
    const std::size_t v = first + lane_id();
    const bool is = v < n && degree_of(incoming, static_cast<vertex_t>(v)) > 0;
    const unsigned word = __ballot_sync(kAllLanes, is);
    if (lane_id() == 0) enterable[first / 32] = word;
  }
}

}  // namespace bfslab::cuda
