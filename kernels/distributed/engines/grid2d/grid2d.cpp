// SPDX-License-Identifier: Apache-2.0
// grid2d: BFS over a 2D partition of the adjacency matrix, with bitmaps for queues (graph500-romeo,
// sections 3.4.1 to 3.4.5; the search is its Algorithm 3, after Checconi et al., SC 2012).
//
// Member (i, j) of an R x C grid stores the edges from its column's vertices to its row's
// (grid.hpp), as CSR for top-down and as CSC for bottom-up levels. The members of a column have the
// same In, those of a row make the same Out. A level is:
//
//   explore          Out from In and Vis, by CSR or CSC (explore.hpp), and a parent for each vertex
//   row_scan         lines 12 to 20: the finds of the members to the left. What is in Out and not
//                    among them is `assigned`: this member's parent counts.
//   row_broadcast    line 21: the union of the row's Out, which the last member of the row has
//   predecessors     line 22, WritePred(): the parents of what is assigned go to the owners, which
//                    are in the same row; in each level or at the end
//   update           line 23, and the levels of the vertices that this member owns, which every
//                    member of the row can compute
//   column_exchange  line 24: the next In
//   reduction        line 8, and the sums that a direction rule needs; it overlaps with
//                    the column exchange
//
// Without parents the finder of a vertex is not needed: the scan is left out, and row_union, a
// reduction, replaces scan and broadcast. With one column there is nothing to exchange in rows.
//
// Cost, for n vertices and m entries on R x C members: explore.hpp's, and in every level, however
// small, n / R bits three times along a row and n / C bits along a column. A parent is sent once,
// in 8 bytes. Memory is 8 m / (R C) bytes of edges (4 where a block is symmetric or only one
// direction is used), offsets of n / R + n / C rows and as many vertices of bitmaps. It wins where
// levels are few and large: each member talks to R + C - 2 others and not to R C - 1. It loses on
// deep graphs, whose levels are smaller than their bitmaps, and to a finer partition where C is
// large: bottom-up, C members look for the same vertex's parent, and none knows when another has
// found it.
//
// The blocks of a symmetric graph are symmetric only on the diagonal of a square grid. There the
// CSR is the CSC, and is held once. Every other block needs both.
//
// Deviations from the paper:
//   * Line 24 transposes, which needs a square grid (docs/errata.md#graph500-romeo-grid). On others
//     the columns' ranges are chosen so that a column's members own them, and gather Out there.
//   * Line 1 starts Vis as In, of another range: here it is the source, where it is in the row's.
//   * Line 8 asks whether all Out are empty before the row's phases; here it is asked after them,
//     when each find is counted once, and a search makes one more row_scan.
//   * Lines 15 to 19 pass the prefix from neighbour to neighbour; here the communicator scans.
//   * Algorithm 4 is explore.hpp's on a thread (docs/errata.md#graph500-romeo-exploration).

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
