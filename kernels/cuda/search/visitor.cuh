// What a search does at an edge, and which edges an item has. Expansions call it and know nothing
// of how the frontier is collected.
#pragma once

#include "kernels/cuda/frontier/hierarchical.cuh"
#include "kernels/cuda/frontier/visit.cuh"
#include "kernels/cuda/search/search.hpp"

namespace bfslab::cuda {

// Puts an item to the end of a queue, by whichever lanes are here. Vertices without edges enter no
// queue that is by degree.
__device__ inline void enqueue_central(const Search& search, std::uint32_t item,
                                       const QueueView& queue, std::uint32_t* queued) {
  int of_class = 0;
  if (search.by_degree) {
    const edge_t degree = degree_of(search.graph, item);
    if (degree == 0) return;
    of_class = degree_class(degree);
  }
  if (search.one_atomic_a_vertex) {
    const std::uint32_t at = add_of_lane(&queued[of_class], 1);
    stress_pause();
    queue.entries[queue.region[of_class] + at] = item;
  } else {
    append(queue, queued, of_class, item);
  }
}

// Edges begin, begin + step, ... before end of vertex u.
struct EdgeRange {
  vertex_t u = 0;
  edge_t begin = 0;
  edge_t end = 0;
  unsigned step = 1;
};

__device__ inline EdgeRange edges_of(const CsrView& graph, const Items& items, std::uint32_t item) {
  if (items.vertex == nullptr) {
    return {item, graph.row_offsets[item], graph.row_offsets[item + std::size_t{1}], 1};
  }
  const vertex_t u = items.vertex[item];
  const std::uint32_t first = items.first[u];
  const std::uint32_t shares = items.first[u + std::size_t{1}] - first;
  const edge_t begin = graph.row_offsets[u];
  const edge_t end = graph.row_offsets[u + std::size_t{1}];
  if (items.strided) return {u, begin + (item - first), end, shares};
  const edge_t mine = begin + edge_t{item - first} * items.split;
  return {u, mine, min(mine + items.split, end), 1};
}

struct Visitor {
  const Search& search;
  Visit visit;                          // of the level after this one
  LevelSlot* next = nullptr;            // its slot
  const QueueView& queue;               // its queue; scan_free
  HierarchicalQueue* shared = nullptr;  // hierarchical and scan_free
  std::uint32_t* candidates = nullptr;  // filter: how many there are
  unsigned long long vertices = 0;      // found, where search.counts
  unsigned long long edges = 0;         // their out-degrees

  // Bit j: whether vertex to[j] may still be found; kNoVertex never. All statuses are under way
  // before the first is looked at: tested one by one, each would be waited for.
  template <int kEach>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kEach]) const {
    level_t at[kEach];
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      at[j] = 0;
      if (to[j] != kNoVertex) at[j] = fresh_level(visit.levels, to[j]);
    }
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kEach; ++j) open |= (at[j] == kUnreached ? 1U : 0U) << j;
    return open;
  }

  // Of an edge from the frontier to a vertex that was open. Lanes need not be together.
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) {
    stress_pause();
    const bool claims = search.collect == Collect::scan_free || search.counts;
    if (claims) {
      if (atomicCAS(&visit.levels[to], kUnreached, visit.level) != kUnreached) return;
      stress_pause();
      if (visit.parents != nullptr) visit.parents[to] = from;
    } else {
      visit.set(to, from);
    }
    if (search.counts) {
      ++vertices;
      edges += degree_of(search.graph, to);
    }
    if (search.collect == Collect::scan_free) {
      enqueue(to);
    } else if (search.collect == Collect::filter) {
      search.candidates[append_place(candidates, search.one_atomic_a_vertex)] = to;
    }
  }

  // All threads of the block, when the level's expansion is over.
  __device__ void finish() {
    if (!search.counts) return;
    add_of_block(vertices, &next->vertices);
    add_of_block(edges, &next->edges);
    vertices = edges = 0;
  }

 private:
  __device__ void enqueue(vertex_t v) {
    if (shared != nullptr) {
      shared->push(v, search.overflow);
    } else {
      enqueue_central(search, v, queue, next->queued);
    }
  }
};

inline constexpr int kEdgesEach = 4;  // that a lane visits at once

// of[at], for an array in registers.
__device__ __forceinline__ vertex_t chosen(const vertex_t (&of)[kEdgesEach], int at) {
  vertex_t value = of[0];
#pragma unroll
  for (int j = 1; j < kEdgesEach; ++j) value = j == at ? of[j] : value;
  return value;
}

// A lane's neighbours to[j], kNoVertex for none, of vertices from(j). Callers fetch all of them
// first, so that a lane waits once for four; what it finds is acted on in one place, since that is
// most of an expansion's code.
template <typename From>
__device__ __forceinline__ void visit_each(Visitor& visitor, const vertex_t (&to)[kEdgesEach],
                                           From&& from) {
  unsigned open = visitor.open_among(to);
  while (open != 0) {
    const int at = __ffs(static_cast<int>(open)) - 1;
    open &= open - 1;
    visitor.found(from(at), chosen(to, at));
  }
}

// Edges of a lane that may come from different vertices: to[j] of from[j].
__device__ __forceinline__ void visit_batch(Visitor& visitor, const vertex_t (&from)[kEdgesEach],
                                            const vertex_t (&to)[kEdgesEach]) {
  visit_each(visitor, to, [&](int at) { return chosen(from, at); });
}

// The lanes of a group take the range's edges in turns. The next four neighbours are under way
// while the statuses of these are waited for: a hub is then one wait a turn, and not two.
__device__ __forceinline__ void visit_edges(Visitor& visitor, const EdgeRange& range, unsigned lane,
                                            unsigned lanes) {
  const edge_t step = edge_t{range.step} * lanes;
  const auto fetch = [&](edge_t e, vertex_t(&to)[kEdgesEach]) {
#pragma unroll
    for (int j = 0; j < kEdgesEach; ++j) {
      to[j] = e + j * step < range.end ? visitor.search.graph.columns[e + j * step] : kNoVertex;
    }
  };
  edge_t e = range.begin + edge_t{range.step} * lane;
  vertex_t to[kEdgesEach];
  fetch(e, to);
  while (e < range.end) {
    e += kEdgesEach * step;
    vertex_t ahead[kEdgesEach];
    fetch(e, ahead);
    visit_each(visitor, to, [&](int) { return range.u; });
#pragma unroll
    for (int j = 0; j < kEdgesEach; ++j) to[j] = ahead[j];
  }
}

}  // namespace bfslab::cuda
