// SPDX-License-Identifier: Apache-2.0
// The begin and the end of a search of `fused`: its reset, and the labels of vertices that it has
// not reached and of leaves. Only bits and slots are reset. Called by all threads of the grid.
#pragma once

#include "kernels/cuda/fused/turns.cuh"

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
    work.visited[w] = set;
    work.front[0][w] = work.front[1][w] = 0;
  }
  if (thread_in_grid() < kFusedClaims) work.claimed[thread_in_grid()] = 0;
  if (thread_in_grid() == 0) work.course->waiting = 0;
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

// Logs level 0 of a source for which no level runs: a leaf, or, in new ids, one without edges.
__device__ inline void fused_log_alone(const LevelLogView& log, FusedKind kind) {
  LevelSlot slot;
  slot.queued[0] = slot.vertices = 1;
  log.level_is(0, kind);
  log.level_ended(0, slot);
}

// Labels the vertices that were not reached, which no level writes.
template <typename Work>
__device__ void fused_label_rest(const Work& work, vertex_t source) {
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_per_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    std::uint32_t open = 0;
    if (lane_id() < work.chunk && w < work.words) {
      open = ~work.visited[w];
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

// The leaves of each level that a block has labelled, for the log. All blocks add to the same few
// records, so that an atomic per warp made a logged search of 8 million leaves 0.2 ms longer.
struct FusedLeafCounts {
  static constexpr level_t kLevels = 64;  // leaves of later levels go to the log one by one

  std::uint32_t leaves[kLevels];

  // Called by all threads of a block, as is add_to(); a barrier of the block must follow.
  __device__ void clear() {
    for (level_t i = threadIdx.x; i < kLevels; i += kFusedThreads) leaves[i] = 0;
  }
  __device__ void add(const LevelLogView& log, level_t level) {
    if (level < kLevels) {
      atomicAdd(&leaves[level], 1U);
    } else {
      put(log, level, 1);
    }
  }
  __device__ void add_to(const LevelLogView& log) {
    __syncthreads();
    for (level_t i = threadIdx.x; i < kLevels; i += kFusedThreads) {
      if (leaves[i] > 0) put(log, i, leaves[i]);
    }
  }

 private:
  __device__ static void put(const LevelLogView& log, level_t level, std::uint32_t count) {
    if (level >= log.capacity) return;
    atomicAdd(&log.records[level].slot.unvisited, count);
    atomicMax(&log.head->levels, level + 1);
  }
};

// Prepares the log for the leaves that follow the level before `end`. Called by all threads.
template <typename Offset>
__device__ void fused_log_leaves(const FusedWork<Offset>& work, level_t end) {
  if (thread_in_grid() == 0 && end > 0 && end < work.log.capacity) {
    work.log.records[end] = LevelRecord{.kind = kFusedSmall, .end_ns = device_ns()};
  }
  barrier_of_grid();
}

// Returns the level of a leaf whose neighbour is p.
template <typename Offset>
__device__ __forceinline__ level_t fused_level_of_leaf(const FusedWork<Offset>& work, vertex_t p,
                                                       vertex_t source) {
  const bool is_searched = p < work.vertices;
  const bool is_reached = is_searched ? test(work.visited, p) : p == source;
  const level_t level = (is_searched ? work.levels[p] & ~kFirstParent : 0) + 1;
  return is_reached ? level : kUnreached;
}

// Labels the leaves, in the order of their neighbours. `source` by its id. `end`: the level after
// the last that had a frontier; the log gets it if leaves are there.
template <typename Work>
__device__ void fused_label_leaves(const Work& work, vertex_t source, level_t end) {
  const bool logs = work.log.head != nullptr;
  if (work.leaves == 0 || (work.maps_leaves && !logs)) return;
  auto& counts = *reinterpret_cast<FusedLeafCounts*>(fused_shared());
  if (logs) {
    counts.clear();
    fused_log_leaves(work, end);
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
      level[t] = fused_level_of_leaf(work, parent[t], source);
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t leaf = i + std::size_t{t} * threads_in_grid();
      if (leaf >= work.leaves) continue;
      const std::size_t v = work.vertices + leaf;
      const bool is_source = fused_id(work, static_cast<vertex_t>(v)) == source;
      if (logs && !is_source && level[t] != kUnreached) counts.add(work.log, level[t]);
      const level_t mark = level[t] != kUnreached ? work.first_mark : 0;
      work.levels[v] = is_source ? 0 : level[t] | mark;
      if (work.parents == nullptr || (mark != 0 && !is_source)) continue;
      work.parents[v] = is_source ? source : level[t] != kUnreached ? parent[t] : kNoVertex;
    }
  }
  if (logs) counts.add_to(work.log);
}

}  // namespace bfslab::cuda
