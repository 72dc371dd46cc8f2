// SPDX-License-Identifier: Apache-2.0
// Expansion by CTA, warp and scan (Merrill et al., PPoPP 2012, section 5: CTA-wide, warp-wide and
// scan-based gathering; DFQ and XBFS compare with it). A block takes a tile of frontier vertices,
// one per thread. The whole block reads rows of at least a block's threads; the warp of their
// thread reads rows of at least a warp. The edges of all shorter rows are laid out contiguously in
// shared memory, at places from a prefix sum, and read one per thread.
//
// Deviation: in the original, threads overwrite one another in shared memory until one has the
// block for its row. Here an atomic lists long rows once per tile. The block then goes through them
// without further barriers, and racecheck finds no race.
//
// Cost: 4 bytes of queue and 16 of offsets per vertex, 4 of adjacency and one status word per edge;
// 2 bytes into and out of shared memory per edge of a short row; a prefix sum over the block per
// tile, two barriers per four edges of a thread. Balances within a block without a sum over the
// grid, so it takes streamed frontiers too. Wins where degrees differ widely; loses where most rows
// are about a warp long, by its barriers.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

// The rows of a block, in shared memory.
struct ThreadWarpCtaRows {
  static constexpr unsigned kMaxThreads = 1024;

  edge_t begin[kMaxThreads];     // of each thread's row
  vertex_t source[kMaxThreads];  // of each thread's row
  std::uint32_t long_rows;
  // Long rows, by their thread; later, edges of short rows, by their thread and number.
  std::uint16_t list[kEdgesEach * kMaxThreads];
};

struct ThreadWarpCtaExpansion {
  static constexpr const ExpansionPart& kPart = expansion("thread_warp_cta");
  __device__ explicit ThreadWarpCtaExpansion(const ExpandScratch&) {}

  template <typename Scope, typename Graph, EdgeAction Action>
  __device__ void run(const RowsOf<Graph>& graph_rows, const std::uint32_t* entries,
                      std::uint32_t count, Action& action) const {
    __shared__ ThreadWarpCtaRows rows;
    if (count == 0) return;
    // Blocks take fewer vertices if there are few, so that all blocks have some.
    const std::uint32_t each = (count - 1) / Scope::blocks() + 1;
    const std::uint32_t tile = min(blockDim.x, (each - 1) / 32 * 32 + 32);
    for (std::size_t first = std::size_t{Scope::block()} * tile; first < count;
         first += std::size_t{Scope::blocks()} * tile) {
      std::uint32_t degree = 0;  // values from a block's threads on are equivalent
      if (threadIdx.x < tile && first + threadIdx.x < count) {
        const EdgeRange row = graph_rows.range_of(entries[first + threadIdx.x]);
        degree = static_cast<std::uint32_t>(min(row.end - row.begin, edge_t{kNoVertex}));
        rows.begin[threadIdx.x] = row.begin;
        rows.source[threadIdx.x] = row.u;
      }
      visit_long(graph_rows, entries + first, degree, rows, action);
      visit_short(graph_rows.graph, degree < 32 ? degree : 0, rows, action);
    }
  }

 private:
  template <typename Graph, EdgeAction Action>
  __device__ static void visit_long(const RowsOf<Graph>& graph_rows, const std::uint32_t* entries,
                                    std::uint32_t degree, ThreadWarpCtaRows& rows, Action& action) {
    const bool of_block = degree >= blockDim.x;
    unsigned by_block = 0;
    if (__syncthreads_or(of_block ? 1 : 0) != 0) {
      if (threadIdx.x == 0) rows.long_rows = 0;
      __syncthreads();
      if (of_block) {
        rows.list[append_place(&rows.long_rows)] = static_cast<std::uint16_t>(threadIdx.x);
      }
      __syncthreads();
      by_block = rows.long_rows;
    }
    unsigned by_warp = __ballot_sync(kAllLanes, degree >= 32 && !of_block);
    for (unsigned k = 0; k < by_block || by_warp != 0; ++k) {
      EdgeRange range;
      const bool whole_block = k < by_block;
      if (whole_block) {
        range = graph_rows.range_of(entries[rows.list[k]]);
      } else {
        const int owner = __ffs(static_cast<int>(by_warp)) - 1;
        by_warp &= by_warp - 1;
        const unsigned thread = threadIdx.x - lane_id() + owner;
        range.u = rows.source[thread];
        range.begin = rows.begin[thread];
        range.end = range.begin + __shfl_sync(kAllLanes, degree, owner);
      }
      visit_edges(action, graph_rows.graph, range, whole_block ? threadIdx.x : lane_id(),
                  whole_block ? blockDim.x : 32);
      __syncwarp();
    }
  }

  // Visits the edges of rows of `own_edges` edges, which are shorter than a warp.
  template <typename Graph, EdgeAction Action>
  __device__ static void visit_short(const Graph& graph, std::uint32_t own_edges,
                                     ThreadWarpCtaRows& rows, Action& action) {
    std::uint32_t all = 0;
    const std::uint32_t start = exclusive_of_block(own_edges, all);
    const std::uint32_t step = kEdgesEach * blockDim.x;
    for (std::uint32_t base = 0; base < all; base += step) {
      const std::uint32_t upto = min(start + own_edges, base + step);
      for (std::uint32_t e = max(start, base); e < upto; ++e) {
        rows.list[e - base] = static_cast<std::uint16_t>(threadIdx.x * 32 + (e - start));
      }
      __syncthreads();
      vertex_t from[kEdgesEach];
      ColumnOf<Graph> to[kEdgesEach];
#pragma unroll
      for (int j = 0; j < kEdgesEach; ++j) {
        const std::uint32_t place = threadIdx.x + j * blockDim.x;
        from[j] = 0;
        to[j] = kNoColumn<Graph>;
        if (base + place < all) {
          const unsigned owner = rows.list[place] / 32U;
          from[j] = rows.source[owner];
          to[j] = graph.columns[rows.begin[owner] + rows.list[place] % 32U];
        }
      }
      __syncthreads();  // from here on the list and the rows may be overwritten
      visit_batch(action, from, to);
    }
  }
};
static_assert(Expansion<ThreadWarpCtaExpansion>);

}  // namespace bfslab::cuda
