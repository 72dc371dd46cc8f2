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
