// SPDX-License-Identifier: Apache-2.0
// Load-balanced expansion (Gunrock's load-balanced advance: Wang et al., TOPC 2017, section 5.1.2,
// after Davidson et al., IPDPS 2014): the edges of the frontier are cut into equal shares, one a
// block; a block looks for the row that its share begins in, keeps the sums of the rows that it
// covers in shared memory, and each edge looks for its own row there.
//
// A block gets no fewer edges than it has threads, so that small frontiers take few blocks. Shares
// bound edges only: rows without edges cost their block time that nobody is given for, where
// merge_path.cuh counts a row's end as a step of work. Gunrock launches kernels for the sums, the
// search and the advance; here they are parts of one.
//
// Cost: degree_sums.cuh; 8 bytes of sums, 4 of queue and 8 of offsets an entry once more; 4 of
// adjacency and one status word an edge, adjacency read in order by blocks; a binary search in
// shared memory an edge, over the rows that share four edges a thread; two barriers of the block
// for as many edges. Wins where degrees differ wildly and frontiers are large; loses where degrees
// are alike, by the sums and the searches.
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
  static constexpr unsigned kMostThreads = 1024;

  // Edges begin, ... end - 1 of the frontier, by a block.
  template <EdgeAction Action>
  __device__ static void walk(const CsrView& graph, const vertex_t* entries, std::uint32_t count,
                              const edge_t* before, edge_t begin, edge_t end, Action& action) {
    __shared__ std::uint32_t starts[kMostThreads];  // of rows, in edges of the tile
    __shared__ edge_t shifts[kMostThreads];         // from edges of the frontier to the graph's
    __shared__ vertex_t sources[kMostThreads];
    edge_t at = begin;
    std::size_t row = entry_at(before, count, 0, begin);
    while (at < end) {
      // A tile: rows from the one that has edge `at`, a row a thread.
      const edge_t aim = min(end, at + blockDim.x * kEdgesEach);
      const std::size_t i = row + threadIdx.x;
      const edge_t start = i < count ? before[i] : aim;
      // After it nobody reads the last tile's rows.
      const auto rows = static_cast<unsigned>(__syncthreads_count(start < aim ? 1 : 0));
      if (threadIdx.x < rows) {
        const vertex_t u = entries[i];
        starts[threadIdx.x] = start > at ? static_cast<std::uint32_t>(start - at) : 0;
        shifts[threadIdx.x] = graph.row_offsets[u] - start;
        sources[threadIdx.x] = u;
      }
      // More rows than threads: the tile ends with the last that is there.
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
    // Of rows that start alike all but the last are empty: the last start that does not come after
    // an edge is its row's.
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
