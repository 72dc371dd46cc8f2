// SPDX-License-Identifier: Apache-2.0
// What an expansion is: how the neighbour lists of a frontier are shared among threads. Each is a
// file of this folder, calls visit_edges() or visit_batch() (traversal/edges.cuh) for every edge of
// its entries, and knows nothing of how frontiers are made or of what an edge does. There are two
// kinds, as a frontier may be there as a whole or be streamed:
//
//   run<Scope>(rows, entries, count, action)   takes any list of entries. All threads of the scope
//                                              call it: the grid's, or one block's.
//   run_whole(rows, queue, queued, action)     needs the frontier as a whole, `queued[c]` entries
//   in
//                                              each region c of `queue`. All threads of a
//                                              cooperative grid call it, once a level.
//
// kByClass: whether its queue has a region a degree class. kTakesShares: whether entries may be
// shares of a vertex's edges (traversal/items.hpp). An expansion is made from ExpandScratch, of
// which it keeps what it uses.
#pragma once

#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/traversal/edges.cuh"

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
concept Expansion = (TakesAnyList<E> ||
                     NeedsWholeFrontier<E>)&&requires(const ExpandScratch& scratch) {
  { E::kByClass } -> std::convertible_to<bool>;
  { E::kTakesShares } -> std::convertible_to<bool>;
  E(scratch);
};

// Shares a frontier out that is there as a whole. All threads of the grid.
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
