// SPDX-License-Identifier: Apache-2.0
// The contract of an expansion: how the neighbour lists of a frontier are shared among threads.
// Each expansion is a file of this folder and a row of kernels/gpu_parts.hpp. It calls
// visit_edges() or visit_batch() (traversal/edges.cuh) for every edge of its entries. It does not
// know how frontiers are made or what an edge does. There are two kinds, since a frontier may exist
// as a whole or be streamed:
//
// clang-format off
//   run<Scope>(rows, entries, count, action)   takes any list of entries. All threads of the scope
//                                              call it: the grid's, or one block's.
//   run_whole(rows, queue, queued, action)     needs the frontier as a whole: `queued[c]` entries in
//                                              each region c of `queue`. All threads of a
//                                              cooperative grid call it, once per level.
//
// Example: the graph has the edges 4 -> 1, 4 -> 2 and 7 -> 2.
//   entries = {7, 4}, count = 2                One call of run visits the three edges, each exactly
//                                              once, on any thread of the scope, in any order.
//   BlockScope, two blocks                     Block 0 calls run with {7}, block 1 with {4}: each
//                                              visits the edges of its own entries.
//   queue.entries = {7, 4}, queued = {2}       One call of run_whole by the grid does the same.
//   queue.entries = {7, 4, _, 9, ...},         By degree class: 7 and 4 have fewer than 32 edges, and
//   region = {0, 3, 3, 3},                     9 has 32 to 255. The entry _ belongs to no vertex, and
//   queued = {2, 1, 0, 0}                      nothing reads it.
// clang-format on
// kPart is the expansion's row. It says whether the expansion needs the whole frontier, in regions
// for degree classes, and whether entries may be shares of a vertex's edges (traversal/items.hpp).
// An expansion is made from ExpandScratch and keeps the parts that it uses.
#pragma once

#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

template <typename E>
concept TakesAnyList = requires(const E& expand, const VertexRows& rows,
                                const std::uint32_t* entries, std::uint32_t count, Mark& action) {
  expand.template run<GridScope>(rows, entries, count, action);
  expand.template run<BlockScope>(rows, entries, count, action);
};

template <typename E>
concept NeedsWholeFrontier = requires(const E& expand, const VertexRows& rows,
                                      const QueueView& queue, const std::uint32_t* queued,
                                      Mark& action) {
  expand.run_whole(rows, queue, queued, action);
};

template <typename E>
concept Expansion = std::same_as<decltype((E::kPart)), const ExpansionPart&> &&
    std::constructible_from<E, const ExpandScratch&> &&
    (needs_whole(E::kPart.takes) ? NeedsWholeFrontier<E> : TakesAnyList<E>);

// Whether the expansion's queue has a region for each degree class.
template <typename E>
inline constexpr bool kHasClasses = E::kPart.takes == Takes::classes;

// Shares out a frontier that exists as a whole. Called by all threads of the grid.
template <Expansion E, typename Rows, EdgeAction Action>
__device__ __forceinline__ void share_out(const E& expand, const Rows& rows, const QueueView& queue,
                                          const std::uint32_t* queued, Action& action) {
  if constexpr (NeedsWholeFrontier<E>) {
    expand.run_whole(rows, queue, queued, action);
  } else {
    expand.template run<GridScope>(rows, queue.entries, queued[0], action);
  }
}

}  // namespace bfslab::cuda
