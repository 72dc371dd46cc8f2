// SPDX-License-Identifier: Apache-2.0
// grid2d: BFS over a 2D partition of the adjacency matrix, with bitmaps for queues (graph500-romeo,
// sections 3.4.1 to 3.4.5; the search is its Algorithm 3, after Checconi et al., SC 2012).
//
// Member (i, j) of an R x C grid stores the edges from its column's vertices to its row's vertices
// (grid.hpp), as CSR for top-down and as CSC for bottom-up levels. Members of a column share In,
// members of a row share Out. A level has these steps:
//
//   explore          computes Out from In and Vis by CSR or CSC (explore.hpp), with parents
//   row_scan         lines 12 to 20: gets the finds of the members to the left. This member's other
//                    finds are `assigned` to it: their parents count.
//   row_broadcast    line 21: the last member of the row broadcasts the union of the row's Out
//   predecessors     line 22, WritePred(): sends the parents of assigned finds to their owners in
//                    the same row, in each level or at the end
//   update           line 23, and the levels of the vertices that this member owns, which every
//                    member of the row can compute
//   column_exchange  line 24: makes the next In
//   reduction        line 8, and the sums that a direction rule needs; it overlaps with
//                    the column exchange
//
// Without parents no find is assigned: row_union, a reduction, replaces scan and broadcast. With
// one column rows exchange nothing.
//
// Cost, for n vertices and m entries on R x C members: that of explore.hpp, and in every level,
// however small, n / R bits three times along a row and n / C bits along a column. A parent is sent
// once, in 8 bytes. Memory is 8 m / (R C) bytes of edges (4 if a block is symmetric or only one
// direction is used), offsets of n / R + n / C rows, and bitmaps of as many vertices. It wins with
// few, large levels: each member communicates with R + C - 2 others instead of R C - 1. It loses on
// deep graphs, whose levels are smaller than their bitmaps, and to finer partitions if C is large:
// bottom-up, C members search for the parent of the same vertex without seeing each other's finds.
//
// Blocks of a symmetric graph are symmetric only on the diagonal of a square grid. There the CSR is
// also the CSC and is held once. Every other block needs both.
//
// Deviations from the paper:
//   * Line 24 transposes, which needs a square grid (docs/errata.md#graph500-romeo-grid). On others
//     a column's members own the column's range and gather Out there.
//   * Line 1 sets Vis to In, which has another range. Here Vis is the source if it is in the row.
//   * Line 8 tests if all Out are empty before the row's phases. Here the test follows them, when
//     each find is counted once, so a search makes one more row_scan.
//   * Lines 15 to 19 pass the prefix from neighbour to neighbour; here the communicator scans.
//   * One CPU thread runs Algorithm 4 (explore.hpp, docs/errata.md#graph500-romeo-exploration).

#include "kernels/distributed/engines/grid2d/search.hpp"

namespace bfslab::distributed::grid2d {
namespace {

std::unique_ptr<MemberSearch> make_member(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  const Grid grid = choose_grid(member, share, settings);
  const auto block = [&](const BlockPlan& plan) {
    return make_cpu_block(edges_of_block(member, share, grid), plan);
  };
  return make_search(member, share, settings, grid, block, nullptr);
}

const RegisterEngine registration{{
    .name = "grid2d",
    .paper = "graph500-romeo",
    .section = "3.4",
    .summary = "A 2D partition of the adjacency matrix over several members, with bitmaps for "
               "queues, direction-optimising",
    .can = {.recipe = true, .distributed = true},
    .toggles = toggles(),
    .estimate = estimate,
    .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<DistributedEngine>(settings, make_member);
    },
    .may_refuse = [](const Toggles& toggles) { return toggles.integer("rows") > 0; },
}};

}  // namespace
}  // namespace bfslab::distributed::grid2d
