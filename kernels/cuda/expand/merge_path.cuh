// SPDX-License-Identifier: Apache-2.0
// Merge-path expansion (merge-based load balance: the merge path of Green et al., ICS 2012, over
// rows of a CSR as in merge-based SpMV, Merrill and Garland, SC 2016; a balance of Davidson et al.,
// IPDPS 2014). The merge of the list of all edges of the frontier with the list of its rows' ends
// is cut into equal shares. A share therefore bounds edges and vertices together.
//
// A row's end comes after its last edge. A warp takes a run of the merge, finds the row that it
// begins in, and goes through it 32 steps at once, one step per lane. Every row has at least one
// step, its end, so 32 steps touch at most 32 rows, and the bits of their ends give each lane its
// row. In load_balanced.cuh shares hold equal edges and any number of vertices, and each edge
// searches for its row.
//
// Cost: degree_sums.cuh; 8 bytes of sums, 4 of queue and 8 of offsets per entry once more; 4 of
// adjacency and one status word per edge, adjacency read in order by warps; a warp's bit reduction
// and three shuffles per 32 steps. No barriers of the block. Wins where degrees differ widely, or
// where frontiers hold many vertices of no or few edges; loses by the sums where degrees are alike.
#pragma once

#include "kernels/cuda/expand/degree_sums.cuh"
#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct MergePathExpansion {
  static constexpr const ExpansionPart& kPart = expansion("merge_path");
  __device__ explicit MergePathExpansion(const ExpandScratch& of_grid) : scratch(of_grid) {}

  template <typename Graph, EdgeAction Action>
  __device__ void run_whole(const RowsOf<Graph>& rows, const QueueView& queue,
                            const std::uint32_t* queued, Action& action) const {
    const Graph& graph = rows.graph;
    const vertex_t* const entries = queue.entries;
    const std::uint32_t count = queued[0];
    const edge_t* const before = sum_degrees(graph, scratch, entries, count);
    const edge_t steps = before[count] + count;
    const unsigned warps = threads_in_grid() / 32;
    const edge_t share = ((steps + warps - 1) / warps + 31) / 32 * 32;
    // Neighbouring shares go to different blocks, so that a small frontier uses the whole device.
    const edge_t begin = share * (threadIdx.x / 32 * gridDim.x + blockIdx.x);
    const edge_t end = min(begin + share, steps);
    if (begin < end) walk(graph, entries, count, before, begin, end, action);
  }

 private:
  // Takes steps begin, ... end - 1 of the merge by a warp. If u's row is the i-th, its steps are i
  // + before[i], ... i + before[i + 1]; the last of them is its end.
  template <typename Graph, EdgeAction Action>
  __device__ static void walk(const Graph& graph, const vertex_t* entries, std::uint32_t count,
                              const edge_t* before, edge_t begin, edge_t end, Action& action) {
    edge_t at = begin;
    for (std::uint32_t row = entry_at(before, count, 1, begin); at < end; row += 32) {
      // Each lane keeps one of 32 rows.
      vertex_t u = 0;
      edge_t last = ~edge_t{0};  // the step that is the row's end
      edge_t shift = 0;          // from its steps to its edges
      if (lane_id() < count - row) {
        const std::uint32_t i = row + lane_id();
        u = entries[i];
        last = i + before[i + std::size_t{1}];
        shift = edge_t{graph.row_offsets[u]} - i - before[i];
      }
      const edge_t last_of_rows = __shfl_sync(kAllLanes, last, 31);
      const edge_t stop = last_of_rows < end ? last_of_rows + 1 : end;
      unsigned ended = 0;  // bits of the 32 rows
      for (; at < stop; at += 32 * kEdgesEach) {
        vertex_t from[kEdgesEach];
        ColumnOf<Graph> to[kEdgesEach];
#pragma unroll
        for (int j = 0; j < kEdgesEach; ++j) {
          const edge_t first = at + 32 * j;
          const unsigned ends =
              bits_of_warp(last - first < 32 ? 1U << static_cast<unsigned>(last - first) : 0);
          const auto owner = static_cast<int>(ended + __popc(ends & lanes_below()));
          ended += __popc(ends);
          // Beyond the 32 rows there is no owner, and the step is beyond `stop`.
          from[j] = __shfl_sync(kAllLanes, u, owner);
          const edge_t own_shift = __shfl_sync(kAllLanes, shift, owner);
          const edge_t step = first + lane_id();
          const bool is_edge = step < stop && (ends >> lane_id() & 1U) == 0;
          to[j] = is_edge ? graph.columns[step + own_shift] : kNoColumn<Graph>;
        }
        visit_batch(action, from, to);
      }
      at = stop;
    }
  }

  ExpandScratch scratch;
};
static_assert(Expansion<MergePathExpansion>);

}  // namespace bfslab::cuda
