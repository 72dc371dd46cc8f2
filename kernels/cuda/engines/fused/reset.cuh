// SPDX-License-Identifier: Apache-2.0
// The begin and the end of a search of `fused`: its reset, and the labels of vertices that it has
// not reached and of leaves. Only bits and slots are reset. Called by all threads of the grid.
#pragma once

#include "kernels/cuda/engines/fused/turns.cuh"

namespace bfslab::cuda {

// All bits of words beyond the last vertex count as visited.
__device__ inline std::uint32_t beyond(std::uint32_t word, vertex_t vertices) {
  const vertex_t first = word * 32;
  if (first + 32 <= vertices) return 0;
  return first >= vertices ? ~0U : ~0U << (vertices - first);
}

// The vertex that a search begins from, and its level: the source, or a leaf's neighbour. A search
// does not begin at all from a vertex that is not searched (`vertices` or more): the source has no
// edges, or is next to no vertex but a leaf.
struct FusedRoot {
  vertex_t vertex;
  level_t level;
};
template <typename Offset>
__device__ FusedRoot fused_root(const FusedWork<Offset>& work, vertex_t source) {
  const bool is_leaf = source >= work.vertices && source - work.vertices < work.leaves;
  return is_leaf ? FusedRoot{work.first[source], 1} : FusedRoot{source, 0};
}

// Resets all that a level reads before it is written. The root is found, labelled and queued.
template <typename Offset>
__device__ void fused_reset(const FusedWork<Offset>& work, vertex_t source, FusedRoot root) {
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    std::uint32_t set =
        beyond(w, work.vertices) | (root.vertex / 32 == w ? 1U << root.vertex % 32 : 0U);
    if (work.unreachable != nullptr) set |= work.unreachable[w];
    work.before[w] = set;
    work.visited[w] = set;
    work.front[0][w] = work.front[1][w] = 0;
  }
  if (thread_in_grid() < FusedClaimed::kRing) work.claimed[thread_in_grid()] = {};
  if (thread_in_grid() < kSlots) {
    LevelSlot slot;
    if (thread_in_grid() == root.level && root.vertex < work.vertices) {
      slot.queued[0] = 1;
      slot.edges = degree_of(work.out, root.vertex);
      work.queues[root.level][0] = root.vertex;
      work.levels[root.vertex] = root.level;
      if (work.parents != nullptr) work.parents[root.vertex] = source;
    }
    work.slots.slots[thread_in_grid()] = slot;
  }
}

// Logs level 0 of a source that is a leaf, for which no level runs.
__device__ inline void fused_log_leaf(const LevelLogView& log) {
  LevelSlot slot;
  slot.queued[0] = slot.vertices = 1;
  log.level_is(0, kFusedSmall);
  log.level_ended(0, slot);
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

// Adds the leaves of a level to the log, by one atomic for the active lanes that have it.
__device__ inline void fused_log_leaves(const LevelLogView& log, level_t level) {
  if (level >= log.capacity) return;
  const unsigned peers = __match_any_sync(__activemask(), level);
  if (static_cast<int>(lane_id()) != __ffs(static_cast<int>(peers)) - 1) return;
  atomicAdd(&log.records[level].slot.unvisited, static_cast<std::uint32_t>(__popc(peers)));
  atomicMax(&log.head->levels, level + 1);
}

// Labels the leaves, in the order of their neighbours. `end`: the level after the last that had a
// frontier; the log gets it if leaves are there.
template <typename Offset>
__device__ void fused_label_leaves(const FusedWork<Offset>& work, vertex_t source, level_t end) {
  if (work.leaves == 0) return;
  const bool logs = work.log.head != nullptr;
  if (logs) {
    if (thread_in_grid() == 0 && end > 0 && end < work.log.capacity) {
      work.log.records[end] = LevelRecord{.kind = kFusedSmall, .end_ns = device_ns()};
    }
    barrier_of_grid();
  }
  constexpr unsigned kEach = 8;  // in flight: each is two dependent words
  for (std::size_t i = thread_in_grid(); i < work.leaves;
       i += std::size_t{kEach} * threads_in_grid()) {
    vertex_t parent[kEach];
    level_t level[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t leaf = i + std::size_t{t} * threads_in_grid();
      parent[t] = leaf < work.leaves ? work.first[work.vertices + leaf] : kNoVertex;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const vertex_t p = parent[t];
      const bool is_searched = p < work.vertices;
      const bool is_reached = is_searched ? test(work.before, p) : p == source;
      level[t] = (is_searched ? work.levels[p] : 0) + 1;
      if (!is_reached) level[t] = kUnreached;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t leaf = i + std::size_t{t} * threads_in_grid();
      if (leaf >= work.leaves) continue;
      const std::size_t v = work.vertices + leaf;
      const bool is_source = v == source;
      if (logs && !is_source && level[t] != kUnreached) fused_log_leaves(work.log, level[t]);
      work.levels[v] = is_source ? 0 : level[t];
      if (work.parents == nullptr) continue;
      work.parents[v] = is_source ? source : level[t] != kUnreached ? parent[t] : kNoVertex;
    }
  }
}

}  // namespace bfslab::cuda
