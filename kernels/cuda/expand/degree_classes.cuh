// SPDX-License-Identifier: Apache-2.0
// Expansion by degree class: Enterprise's thread, warp, block and grid queues (XBFS, sections 1.1
// and 5.1), which XBFS keeps for its top-down levels.
//
// Enterprise launches concurrent kernels, one per class, each of which calls run_class(). A kernel
// that calls run_whole() takes the classes in turn, so that a level costs one launch. They are one
// loop there, since the work per edge is most of the code.
//
// Cost: 4 bytes of queue and 16 of offsets per frontier vertex, 4 of adjacency and one status word
// per edge. Adjacency is read coalesced, except that single threads read rows shorter than a warp.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct DegreeClassesExpansion {
  static constexpr const ExpansionPart& kPart = expansion("degree_classes");
  __device__ explicit DegreeClassesExpansion(const ExpandScratch&) {}

  template <typename Rows, EdgeAction Action>
  __device__ void run_whole(const Rows& rows, const QueueView& queue, const std::uint32_t* queued,
                            Action& action) const {
    // The largest rows come first. All lanes of a warp finish a class before the next.
#pragma unroll 1
    for (int c = kDegreeClasses - 1; c >= 0; --c) run_class(rows, queue, queued, c, action);
  }

  // Runs the vertices of one class. Called by all threads of the grid.
  template <typename Rows, EdgeAction Action>
  __device__ __forceinline__ static void run_class(const Rows& rows, const QueueView& queue,
                                                   const std::uint32_t* queued, int of_class,
                                                   Action& action) {
    const bool by_grid = of_class == 3;
    const bool by_block = of_class == 2;
    const bool by_warp = of_class == 1;
    const unsigned thread = thread_in_grid();
    const unsigned threads = threads_in_grid();
    const unsigned first = by_grid ? 0 : by_block ? blockIdx.x : by_warp ? thread / 32 : thread;
    const unsigned step = by_grid ? 1 : by_block ? gridDim.x : by_warp ? threads / 32 : threads;
    const unsigned lane = by_grid ? thread : by_block ? threadIdx.x : by_warp ? lane_id() : 0;
    const unsigned lanes = by_grid ? threads : by_block ? blockDim.x : by_warp ? 32 : 1;
    const vertex_t* const entries = queue.entries + queue.region[of_class];
    const unsigned count = queued[of_class];
    for (unsigned i = first; i < count; i += step) {
      visit_edges(action, rows.graph, rows.range_of(entries[i]), lane, lanes);
    }
    __syncwarp();
  }
};
static_assert(Expansion<DegreeClassesExpansion>);

}  // namespace bfslab::cuda
