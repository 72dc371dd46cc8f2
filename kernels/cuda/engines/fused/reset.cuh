// SPDX-License-Identifier: Apache-2.0
// The begin and the end of a search of `fused`: its reset, and the labels of vertices that it has
// not reached. Only bits and slots are reset. Called by all threads of the grid.
#pragma once

#include "kernels/cuda/engines/fused/turns.cuh"

namespace bfslab::cuda {

// All bits of words beyond the last vertex count as visited.
__device__ inline std::uint32_t beyond(std::uint32_t word, vertex_t vertices) {
  const vertex_t first = word * 32;
  if (first + 32 <= vertices) return 0;
  return first >= vertices ? ~0U : ~0U << (vertices - first);
}

// Resets all that a level reads before it is written. The source is found, labelled and queued.
template <typename Offset>
__device__ void fused_reset(const FusedWork<Offset>& work, vertex_t source) {
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    std::uint32_t set = beyond(w, work.vertices) | (source / 32 == w ? 1U << source % 32 : 0U);
    if (work.unreachable != nullptr) set |= work.unreachable[w];
    work.before[w] = set;
    work.visited[w] = set;
    work.front[0][w] = work.front[1][w] = 0;
  }
  if (thread_in_grid() < FusedClaimed::kRing) work.claimed[thread_in_grid()] = {};
  if (thread_in_grid() < kSlots) {
    LevelSlot slot;
    if (thread_in_grid() == 0 && source < work.vertices) {
      slot.queued[0] = 1;
      slot.edges = degree_of(work.out, source);
      work.queues[0][0] = source;
      work.levels[source] = 0;
      if (work.parents != nullptr) work.parents[source] = source;
    }
    work.slots.slots[thread_in_grid()] = slot;
  }
}

// Labels the vertices that were not reached, which no level writes.
template <typename Offset>
__device__ void fused_label_rest(const FusedWork<Offset>& work, vertex_t source) {
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_per_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    std::uint32_t open = 0;
    if (lane_id() < work.chunk && w < work.words) {
      open = ~work.before[w];
      if (work.unreachable != nullptr) {
        open |= work.unreachable[w] & ~(source / 32 == w ? 1U << source % 32 : 0U);
      }
    }
    unsigned words = __ballot_sync(kAllLanes, open != 0);
    while (words != 0) {
      const int j = __ffs(static_cast<int>(words)) - 1;
      words &= words - 1;
      if ((__shfl_sync(kAllLanes, open, j) >> lane_id() & 1U) == 0) continue;
      const std::size_t v = std::size_t{first + j} * 32 + lane_id();
      work.levels[v] = kUnreached;
      if (work.parents != nullptr) work.parents[v] = kNoVertex;
    }
  }
}

}  // namespace bfslab::cuda
