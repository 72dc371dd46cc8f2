// SPDX-License-Identifier: Apache-2.0
// The interface between an expansion and an edge action. An expansion (expand/) decides which
// thread looks at which edge. An edge action decides what happens there: it marks the neighbour,
// claims and queues it, or lists it as a candidate. Any expansion works with any action.
//
// Actions are compile-time policies, because a kernel that runs all levels is limited by its
// registers. frontier/collector.cuh chooses among the other actions at run time.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/visit.cuh"

namespace bfslab::cuda {

// An edge action. It belongs to one thread and lives as long as the expansion of a level.
// clang-format off
//   A::kBatch        the number of edges that a lane visits at once: registers against waiting
//   open_among(to)   bit j: whether to[j] may still be found; it is never set for kNoVertex
//   found(from, to)  an edge from the frontier to a vertex that was open; lanes need not be together
//   finish()         the expansion is over: all threads of the block call it
//
// Example with kBatch = 4: a lane visits the edges 9 -> 3, 9 -> 5 and 8 -> 3. Vertex 5 has a level,
// and 3 has none yet.
//   open_among({3, 5, 3, kNoVertex})   returns 0b0101
//   found(9, 3), found(8, 3)           follow: an action meets a vertex as often as edges lead to it,
//                                      and a claim (traversal/visit.cuh) lets one of them win
// clang-format on
template <typename A>
concept EdgeAction = requires(A& action, const vertex_t (&to)[A::kBatch], vertex_t v) {
  { action.open_among(to) } -> std::same_as<unsigned>;
  action.found(v, v);
  action.finish();
};

// The simplest action: the last writer marks the neighbour. A scan of the statuses gathers the
// marked vertices later, if anything does.
struct Mark {
  static constexpr int kBatch = 1;
  Visit visit;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return visit.open_among(to);
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    stress_pause();
    visit.set(to, from);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<Mark>);

// Edges begin, begin + step, ... before `end`, of vertex u.
struct EdgeRange {
  vertex_t u = 0;
  edge_t begin = 0;
  edge_t end = 0;
  unsigned step = 1;
};

// Maps a frontier entry to its range of edges. The entry is a vertex of a graph whose offsets and
// columns may have any width.
template <typename Graph>
struct RowsOf {
  Graph graph;

  [[nodiscard]] __device__ EdgeRange range_of(vertex_t u) const {
    return {u, graph.row_offsets[u], graph.row_offsets[u + std::size_t{1}], 1};
  }
};
using VertexRows = RowsOf<CsrView>;

// The same for an item, which may be a share of a vertex's edges.
struct ItemRows {
  const CsrView& graph;
  const Items& items;

  [[nodiscard]] __device__ EdgeRange range_of(std::uint32_t item) const {
    if (items.vertex == nullptr) return VertexRows{graph}.range_of(item);
    const vertex_t u = items.vertex[item];
    const std::uint32_t first = items.first[u];
    const std::uint32_t shares = items.first[u + std::size_t{1}] - first;
    const edge_t begin = graph.row_offsets[u];
    const edge_t end = graph.row_offsets[u + std::size_t{1}];
    if (items.strided) return {u, begin + (item - first), end, shares};
    const edge_t share_begin = begin + edge_t{item - first} * items.split;
    return {u, share_begin, min(share_begin + items.split, end), 1};
  }
};

inline constexpr int kEdgesEach = 4;  // per lane, if the edges of many rows are laid out

// Returns values[at], for an array in registers.
template <typename T, int kCount>
__device__ __forceinline__ T chosen(const T (&values)[kCount], int at) {
  T value = values[0];
#pragma unroll
  for (int j = 1; j < kCount; ++j) value = j == at ? values[j] : value;
  return value;
}

// The type of a column of the graph, and the column that stands for none: kNoVertex in that width.
template <typename Graph>
using ColumnOf = std::remove_cvref_t<decltype(std::declval<Graph>().columns[0])>;
template <typename Graph>
inline constexpr ColumnOf<Graph> kNoColumn = ~ColumnOf<Graph>{0};

// Visits a lane's neighbours to[j] (kNoVertex for none) of vertices from(j). Callers fetch all of
// them first, so that a lane waits once for all. Finds are handled in one place, because this code
// is most of an expansion.
template <int kCount, typename Action, typename To, typename From>
__device__ __forceinline__ void visit_each(Action& action, const To (&to)[kCount], From&& from) {
  unsigned open = action.open_among(to);
  while (open != 0) {
    const int at = __ffs(static_cast<int>(open)) - 1;
    open &= open - 1;
    action.found(from(at), chosen(to, at));
  }
}

// Visits the edges of a lane that may come from different vertices: to[j] of from[j].
template <int kCount, typename Action, typename To>
__device__ __forceinline__ void visit_batch(Action& action, const vertex_t (&from)[kCount],
                                            const To (&to)[kCount]) {
  visit_each(action, to, [&](int at) { return chosen(from, at); });
}

// Visits the range's edges, which the lanes of a group take in turns. With batches, the next
// neighbours are loaded while these statuses are awaited, so that a hub costs one wait per turn.
template <typename Action, typename Graph>
__device__ __forceinline__ void visit_edges(Action& action, const Graph& graph,
                                            const EdgeRange& range, unsigned lane, unsigned lanes) {
  using To = ColumnOf<Graph>;
  constexpr int kBatch = Action::kBatch;
  const edge_t step = edge_t{range.step} * lanes;
  edge_t e = range.begin + edge_t{range.step} * lane;
  if constexpr (kBatch == 1) {
    for (; e < range.end; e += step) {
      const To to[1] = {graph.columns[e]};
      if (action.open_among(to) != 0) action.found(range.u, to[0]);
    }
  } else {
    const auto fetch = [&](edge_t from, To(&to)[kBatch]) {
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        to[j] = from + j * step < range.end ? graph.columns[from + j * step] : kNoColumn<Graph>;
      }
    };
    To to[kBatch];
    fetch(e, to);
    while (e < range.end) {
      e += kBatch * step;
      To ahead[kBatch];
      fetch(e, ahead);
      visit_each(action, to, [&](int) { return range.u; });
#pragma unroll
      for (int j = 0; j < kBatch; ++j) to[j] = ahead[j];
    }
  }
}

}  // namespace bfslab::cuda
