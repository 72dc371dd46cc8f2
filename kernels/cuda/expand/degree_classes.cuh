// Top-down expansion by degree class: Enterprise's thread, warp, block and grid queues, which
// papers/xbfs.txt keeps for top-down (sections 1.1 and 5.1).
//
// Enterprise launches a kernel a class side by side; here one kernel takes the classes in turn, so
// that a level costs one launch.
//
// Cost: 4 bytes of queue and 16 of offsets a frontier vertex, 4 of adjacency and one status word an
// edge. Adjacency is read coalesced by warps, blocks and the grid; by single threads only in rows
// shorter than a warp.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"
#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

// All threads of the grid.
template <typename Next>
__device__ void expand_by_class(const CsrView& graph, const QueueView& queue, const LevelSlot* now,
                                LevelSlot* cleared, const Next& next) {
  typename Next::Tally tally;
  const auto expand = [&](int of_class, unsigned i, unsigned worker, unsigned workers) {
    const vertex_t u = queue.entries[queue.region[of_class] + i];
    const edge_t end = graph.row_offsets[u + std::size_t{1}];
    for (edge_t e = graph.row_offsets[u] + worker; e < end; e += workers) {
      next.edge(graph, u, graph.columns[e], tally);
    }
  };
  const unsigned by_thread = now->queued[0];
  const unsigned by_warp = now->queued[1];
  const unsigned by_block = now->queued[2];
  const unsigned by_grid = now->queued[3];
  for (unsigned i = 0; i < by_grid; ++i) expand(3, i, thread_in_grid(), threads_in_grid());
  for (unsigned i = blockIdx.x; i < by_block; i += gridDim.x) {
    expand(2, i, threadIdx.x, blockDim.x);
  }
  for (unsigned i = thread_in_grid() / 32; i < by_warp; i += threads_in_grid() / 32) {
    expand(1, i, lane_id(), 32);
  }
  for (unsigned i = thread_in_grid(); i < by_thread; i += threads_in_grid()) expand(0, i, 0, 1);
  __syncwarp();
  next.finish(tally);
  if (thread_in_grid() == 0) *cleared = LevelSlot{};
}

// The same over a search's queue. The classes are one loop, since what is done at an edge is most
// of the code.
struct DegreeClassesExpansion {
  // All threads of the grid.
  __device__ static void run_whole(const Search& search, level_t level, const LevelSlot* now,
                                   Visitor& visitor) {
    const QueueView& queue = search.queue[level % 2];
    const unsigned thread = thread_in_grid();
    const unsigned threads = threads_in_grid();
    // The largest rows first. All lanes of a warp go through a class before the next.
#pragma unroll 1
    for (int c = kDegreeClasses - 1; c >= 0; --c) {
      const unsigned lanes = c == 3 ? threads : c == 2 ? blockDim.x : c == 1 ? 32 : 1;
      const vertex_t* const entries = queue.entries + queue.region[c];
      const unsigned count = now->queued[c];
      for (unsigned i = thread / lanes; i < count; i += threads / lanes) {
        visit_edges(visitor, edges_of(search.graph, search.items, entries[i]), thread % lanes,
                    lanes);
      }
      __syncwarp();
    }
  }
};

}  // namespace bfslab::cuda
