// SPDX-License-Identifier: Apache-2.0
// Frontier generation by prefix sum, the baseline: each thread counts the frontier vertices among
// its statuses, a prefix sum over all threads says where they go, and each thread puts them there.
// It is the usual way before XBFS (section 4.1), and that of its baseline, Enterprise.
//
// Between the two steps a thread keeps nothing and looks again, which costs a second read and no
// memory of its own. bins.cuh is Enterprise's own way.
//
// Top-down threads take every T-th status, so reads are coalesced and the queue is unsorted.
// Bottom-up needs a sorted queue, so each thread takes a run of statuses, and the 32 threads of a
// warp read 32 places at once. double_scan.cuh was made to avoid this strided access (section 4.2).
//
// Cost: 8n bytes, 16 of offsets per vertex found, twice, and a scan over classes x T counts.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/counted_scan.cuh"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

struct PrefixScan {
  const level_t* levels = nullptr;
  level_t wanted = 0;     // kUnreached: the bottom-up queue
  CsrView graph;          // whose degrees class the vertices
  bool in_runs = false;   // a sorted queue
  bool edgeless = false;  // vertices without edges enter the queue, too

  // Whether a wanted vertex of that degree enters the queue.
  [[nodiscard]] __device__ bool takes(edge_t degree) const { return degree > 0 || edgeless; }
};

// The vertices of a thread: begin, begin + step, ... before end.
struct ScanShare {
  std::size_t begin, end, step;
};

__device__ inline ScanShare share_of_thread(const PrefixScan& scan) {
  const std::size_t threads = threads_in_grid();
  const std::size_t n = scan.graph.vertices;
  const std::size_t run = (n + threads - 1) / threads;
  const std::size_t begin = scan.in_runs ? thread_in_grid() * run : thread_in_grid();
  return {begin, scan.in_runs ? min(begin + run, n) : n, scan.in_runs ? 1 : threads};
}

template <typename F>
__device__ void each_wanted(const PrefixScan& scan, F&& f) {
  const ScanShare share = share_of_thread(scan);
  for (std::size_t v = share.begin; v < share.end; v += share.step) {
    if (scan.levels[v] == scan.wanted) f(static_cast<vertex_t>(v));
  }
}

// Counts a thread's queue entries per class. `tally` may be null: the level's size
// is known already. Vertices that do not enter it are tallied all the same. All threads of the
// grid.
template <int kClasses>
__device__ void count_wanted(const PrefixScan& scan, std::uint32_t (&own)[kClasses],
                             LevelSlot* tally) {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  each_wanted(scan, [&](vertex_t v) {
    const edge_t degree = degree_of(scan.graph, v);
    ++vertices;
    edges += degree;
    if (!scan.takes(degree)) return;
    const int of_class = kClasses == 1 ? 0 : degree_class(degree);
#pragma unroll
    for (int c = 0; c < kClasses; ++c) own[c] += c == of_class ? 1 : 0;
  });
  if (tally == nullptr) return;
  add_of_block(vertices, &tally->vertices);
  add_of_block(edges, &tally->edges);
}

// Puts the vertices where the prefix sum says. Called by all threads of the grid.
template <int kClasses>
__device__ void place_wanted(const PrefixScan& scan, std::uint32_t (&place)[kClasses],
                             const QueueView& queue) {
  each_wanted(scan, [&](vertex_t v) {
    const edge_t degree = degree_of(scan.graph, v);
    if (!scan.takes(degree)) return;
    const int of_class = kClasses == 1 ? 0 : degree_class(degree);
#pragma unroll
    for (int c = 0; c < kClasses; ++c) {
      if (c == of_class) queue.entries[queue.region[c] + place[c]++] = v;
    }
  });
}

// Runs both steps and the prefix sum between them in one kernel. `sums`: [kClasses * blocks] of
// scratch. `queued` gets the queue's entries per class. Called by all threads of a cooperative
// grid; the queue is complete after a barrier of the grid.
template <int kClasses>
__device__ void gather_by_prefix_sum(const PrefixScan& scan, std::uint32_t* sums,
                                     const QueueView& queue, std::uint32_t* queued,
                                     LevelSlot* tally) {
  std::uint32_t own[kClasses] = {};
  count_wanted<kClasses>(scan, own, tally);
  exclusive_of_grid<kClasses>(own, sums, queued);
  place_wanted<kClasses>(scan, own, queue);
}

}  // namespace bfslab::cuda
