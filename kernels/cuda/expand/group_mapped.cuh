// SPDX-License-Identifier: Apache-2.0
// Group-mapped expansion with warps as groups (Osama et al., PPoPP 2023). A warp takes up to 32
// frontier vertices, sums their degrees by shuffles, and goes through all of their edges together,
// one per lane. Each lane finds the row of its edge by a binary search over the lanes.
//
// Deviation: the sums stay in registers, without a barrier; the original has them in shared memory.
//
// Cost: 4 bytes of queue and 16 of offsets per vertex; 4 of adjacency and one status word per edge;
// a scan of the warp per 32 vertices, and eight shuffles per 32 edges, five of them to find rows.
// It needs no memory, no barrier and no sum over the grid, so it takes streamed frontiers too. Wins
// where degrees are small: adjacency is read as in one row, where thread.cuh reads 32 places at
// once. Lanes idle only behind a warp's last edge, where those of virtual_warp.cuh idle behind each
// row. Loses on hubs, since no other warp helps with their edges.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct GroupMappedExpansion {
  static constexpr const ExpansionPart& kPart = expansion("group_mapped");
  __device__ explicit GroupMappedExpansion(const ExpandScratch&) {}

  template <typename Scope, typename Graph, EdgeAction Action>
  __device__ void run(const RowsOf<Graph>& rows, const std::uint32_t* entries, std::uint32_t count,
                      Action& action) const {
    // Warps take fewer vertices if there are too few for all lanes, so that all warps have some.
    const std::size_t warps = Scope::threads() / 32;
    const std::size_t each = min(std::size_t{32}, (count + warps - 1) / warps);
    for (std::size_t first = Scope::thread() / 32 * each; first < count; first += warps * each) {
      EdgeRange row;
      const std::size_t i = first + lane_id();
      if (lane_id() < each && i < count) row = rows.range_of(entries[i]);
      visit_rows(rows.graph, row, action);
    }
  }

 private:
  // Visits the edges of the rows of a warp's lanes; `row` is this lane's.
  template <typename Graph, EdgeAction Action>
  __device__ static void visit_rows(const Graph& graph, const EdgeRange& row, Action& action) {
    const edge_t upto = inclusive_of_warp(row.end - row.begin);
    const edge_t before = upto - (row.end - row.begin);
    const edge_t shift = row.begin - before;  // from edges of the warp to edges of the graph
    const edge_t all = __shfl_sync(kAllLanes, upto, 31);
    for (edge_t at = 0; at < all; at += 32 * kEdgesEach) {
      vertex_t from[kEdgesEach];
      ColumnOf<Graph> to[kEdgesEach];
#pragma unroll
      for (int j = 0; j < kEdgesEach; ++j) {
        const edge_t first = at + 32 * j;
        // The place where this lane's row begins among the 32 edges; 0 if it began before them.
        const auto start =
            static_cast<unsigned>(before > first ? min(before - first, edge_t{32}) : 0);
        // An empty row begins with the next one: the last row to begin in time has the edge.
        unsigned owner = 0;
#pragma unroll
        for (unsigned step = 16; step > 0; step /= 2) {
          if (__shfl_sync(kAllLanes, start, owner + step) <= lane_id()) owner += step;
        }
        from[j] = __shfl_sync(kAllLanes, row.u, owner);
        const edge_t to_graph = __shfl_sync(kAllLanes, shift, owner);
        const edge_t edge = first + lane_id();
        to[j] = edge < all ? graph.columns[edge + to_graph] : kNoColumn<Graph>;
      }
      visit_batch(action, from, to);
    }
  }
};
static_assert(Expansion<GroupMappedExpansion>);

}  // namespace bfslab::cuda
