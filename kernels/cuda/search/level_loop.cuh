// What the level loops of the searches share.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/search/scope.cuh"
#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

__device__ inline void barrier_of_grid() {
  stress_pause();
  cooperative_groups::this_grid().sync();
  stress_pause();
}

// Four slots rotate: while level l runs, that of l + 2 is cleared.
__device__ inline LevelSlot* slot_of(const Search& search, level_t level) {
  return search.slots + level % kSlots;
}

// How many entries a level's queues had. Behind the barrier that ended their making.
__device__ inline std::uint32_t queued_at(const LevelSlot* slot) {
  std::uint32_t all = 0;
  for (int c = 0; c < kDegreeClasses; ++c) all += slot->queued[c];
  return all;
}

// Before a search: the source is there, nothing else is, and no slot holds anything but it. All
// threads of the grid.
__device__ inline void reset_statuses(const Search& search, vertex_t source, edge_t degree) {
  const std::size_t n = search.graph.vertices;
  const std::size_t threads = threads_in_grid();
  for (std::size_t v = thread_in_grid(); v < n; v += threads) {
    search.levels[v] = v == source ? 0 : kUnreached;
    if (search.parents != nullptr) search.parents[v] = v == source ? source : kNoVertex;
  }
  if (search.filter_bits != nullptr) {
    for (std::size_t w = thread_in_grid(); w < (n + 31) / 32; w += threads) {
      search.filter_bits[w] = 0;
    }
  }
  if (thread_in_grid() != 0) return;
  for (unsigned s = 0; s < kSlots; ++s) search.slots[s] = LevelSlot{};
  search.slots[0].vertices = 1;
  search.slots[0].edges = degree;
}

__device__ inline Visitor visitor_of(const Search& search, level_t level,
                                     HierarchicalQueue* shared = nullptr) {
  return {search,
          Visit{search.levels, search.parents, level + 1},
          slot_of(search, level + 1),
          search.queue[(level + 1) % 2],
          shared,
          search.candidate_count + (level + 1) % 2};
}

}  // namespace bfslab::cuda
