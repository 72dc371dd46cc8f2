// SPDX-License-Identifier: Apache-2.0
// Load-balanced expansion (Gunrock's load-balanced advance: Wang et al., TOPC 2017, section 5.1.2,
// after Davidson et al., IPDPS 2014). The edges of the frontier are cut into equal shares, one per
// block. A block searches for the row that its share begins in and keeps the sums of the rows that
// it covers in shared memory; each edge searches for its own row there.
//
// A block gets at least as many edges as it has threads, so that small frontiers use few blocks.
// Shares bound only edges: rows without edges cost their block time that no share accounts for,
// where merge_path.cuh counts a row's end as a step of work. Gunrock launches kernels for the
// sums, the search and the advance; here they are parts of one kernel.
//
// Cost: degree_sums.cuh; 8 bytes of sums, 4 of queue and 8 of offsets per entry once more; 4 of
// adjacency and one status word per edge, adjacency read in order by blocks; a binary search in
// shared memory per edge, over the rows that share four edges per thread; two barriers of the block
// for the same number of edges. Wins where degrees differ widely and frontiers are large; loses
// where degrees are alike, by the sums and the searches.
#pragma once

#include "kernels/cuda/expand/degree_sums.cuh"
#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct LoadBalancedExpansion {
  static constexpr const ExpansionPart& kPart = expansion("load_balanced");
  __device__ explicit LoadBalancedExpansion(const ExpandScratch& of_grid) : scratch(of_grid) {}

  template <EdgeAction Action>
  __device__ void run_whole(const VertexRows& rows, const QueueView& queue,
                            const std::uint32_t* queued, Action& action) const {
    const CsrView& graph = rows.graph;
    const vertex_t* const entries = queue.entries;
    const std::uint32_t count = queued[0];
    const edge_t* const before = sum_degrees(graph, scratch, entries, count);
    const edge_t all = before[count];
    const edge_t share = max((all + gridDim.x - 1) / gridDim.x, edge_t{blockDim.x});
    const edge_t begin = share * blockIdx.x;
    const edge_t end = min(begin + share, all);
    if (begin < end) walk(graph, entries, count, before, begin, end, action);
  }

 private:
  static constexpr unsigned kMaxThreads = 1024;

  // Visits edges begin, ... end - 1 of the frontier by a block.
  template <EdgeAction Action>
  __device__ static void walk(const CsrView& graph, const vertex_t* entries, std::uint32_t count,
                              const edge_t* before, edge_t begin, edge_t end, Action& action) {
    __shared__ std::uint32_t starts[kMaxThreads];  // of rows, in edges of the tile
    __shared__ edge_t shifts[kMaxThreads];         // from edges of the frontier to the graph's
    __shared__ vertex_t sources[kMaxThreads];
    edge_t at = begin;
    std::size_t row = entry_at(before, count, 0, begin);
    while (at < end) {
      // A tile: rows from the one that has edge `at`, one row per thread.
      const edge_t aim = min(end, at + blockDim.x * kEdgesEach);
      const std::size_t i = row + threadIdx.x;
      const edge_t start = i < count ? before[i] : aim;
      // After this barrier no thread reads the last tile's rows.
      const auto rows = static_cast<unsigned>(__syncthreads_count(start < aim ? 1 : 0));
      if (threadIdx.x < rows) {
        const vertex_t u = entries[i];
        starts[threadIdx.x] = start > at ? static_cast<std::uint32_t>(start - at) : 0;
        shifts[threadIdx.x] = graph.row_offsets[u] - start;
        sources[threadIdx.x] = u;
      }
      // If there are more rows than threads, the tile ends with its last row.
      const edge_t stop = rows == blockDim.x ? min(aim, before[row + rows]) : aim;
      __syncthreads();
      visit_tile(graph, action, at, stop, rows, starts, shifts, sources);
      row += stop == aim ? rows - 1 : rows;
      at = stop;
    }
  }

  template <EdgeAction Action>
  __device__ static void visit_tile(const CsrView& graph, Action& action, edge_t at, edge_t stop,
                                    unsigned rows, const std::uint32_t* starts,
                                    const edge_t* shifts, const vertex_t* sources) {
    // If rows have equal starts, all except the last are empty. An edge belongs to the last row
    // whose start is not after it.
    unsigned row[kEdgesEach] = {};
    for (unsigned step = 1U << (31 - __clz(static_cast<int>(rows))); step > 0; step /= 2) {
#pragma unroll
      for (int j = 0; j < kEdgesEach; ++j) {
        const unsigned next = row[j] + step;
        if (next < rows && starts[next] <= threadIdx.x + j * blockDim.x) row[j] = next;
      }
    }
    vertex_t from[kEdgesEach];
    vertex_t to[kEdgesEach];
#pragma unroll
    for (int j = 0; j < kEdgesEach; ++j) {
      const edge_t e = at + threadIdx.x + j * blockDim.x;
      from[j] = sources[row[j]];
      to[j] = e < stop ? graph.columns[e + shifts[row[j]]] : kNoVertex;
    }
    visit_batch(action, from, to);
  }

  ExpandScratch scratch;
};
static_assert(Expansion<LoadBalancedExpansion>);

}  // namespace bfslab::cuda
