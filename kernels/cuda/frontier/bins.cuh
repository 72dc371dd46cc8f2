// SPDX-License-Identifier: Apache-2.0
// Frontier generation by bins, Enterprise's: a thread sorts the frontier vertices among its
// statuses into bins of its own, one for each degree class; a prefix sum over a class's counts says
// where each bin goes, and the thread copies it there. It meets no other thread on the way.
//
// A thread reads status and degree of a vertex together, and the next vertex's before it acts on
// this one. Shares are those of prefix_sum.cuh: in turns for an unsorted queue, runs for a sorted
// one, and the place of an entry within the queue is the same.
//
// Example: 4 threads in runs of 2, one class, vertices 1, 2 and 3 wanted. Bins {1}, {2, 3}, {}, {};
// counts 1, 2, 0, 0; offsets 0, 1, 3, 3; the queue is 1, 2, 3.
//
// Cost: 4 bytes of status and 16 of offsets for each vertex of the graph; for each vertex found 4
// bytes written to its bin, 4 read, 4 written; a prefix sum over T counts for each class. Memory: a
// bin of n / T entries for each thread and class.
#pragma once

#include "kernels/cuda/frontier/bins.hpp"
#include "kernels/cuda/frontier/prefix_sum.cuh"

namespace bfslab::cuda {

// Fills the thread's bins. `own` begins at 0, and gets their counts. `tally` may be null: the
// level's size is known already. Called by all threads of the grid.
template <int kClasses>
__device__ void fill_bins(const PrefixScan& scan, const BinsView& bins,
                          std::uint32_t (&own)[kClasses], LevelSlot* tally) {
  struct Seen {
    level_t level = 0;
    edge_t degree = 0;
  };
  const ScanShare share = share_of_thread(scan);
  const auto look = [&](std::size_t v) {
    if (v >= share.end) return Seen{};
    return Seen{scan.levels[v], degree_of(scan.graph, static_cast<vertex_t>(v))};
  };
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  Seen ahead = look(share.begin);
  for (std::size_t v = share.begin; v < share.end; v += share.step) {
    const Seen seen = ahead;
    ahead = look(v + share.step);
    if (seen.level != scan.wanted) continue;
    ++vertices;
    edges += seen.degree;
    if (!scan.takes(seen.degree)) continue;
    const int of_class = kClasses == 1 ? 0 : degree_class(seen.degree);
#pragma unroll
    for (int c = 0; c < kClasses; ++c) {
      if (c == of_class) bins.bin(c)[own[c]++] = static_cast<vertex_t>(v);
    }
  }
  __syncwarp();
  if (tally == nullptr) return;
  add_of_block(vertices, &tally->vertices);
  add_of_block(edges, &tally->edges);
}

// Copies the thread's bin of one class into the queue. `counts` and `offsets`: [threads], this
// class's, the latter the exclusive sums of the former. `queued` gets the class's entries. All
// threads of a grid of the same size.
__device__ inline void empty_bin(const BinsView& bins, int of_class, const std::uint32_t* counts,
                                 const std::uint32_t* offsets, const QueueView& queue,
                                 std::uint32_t* queued) {
  const unsigned thread = thread_in_grid();
  const vertex_t* const bin = bins.bin(of_class);
  const std::uint32_t count = counts[thread];
  const std::uint32_t place = offsets[thread];
  vertex_t* const to = queue.entries + queue.region[of_class] + place;
  for (std::uint32_t i = 0; i < count; ++i) to[i] = bin[i];
  if (thread + 1 == threads_in_grid()) queued[of_class] = place + count;
}

}  // namespace bfslab::cuda
