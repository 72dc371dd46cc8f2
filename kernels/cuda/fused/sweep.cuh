// SPDX-License-Identifier: Apache-2.0
// Top-down levels of many edges. Every edge of the queue is visited (top_down.cuh): a neighbour is
// one bit that is read, and set without waiting, by one atomic for the lanes that share a word.
// Then a sweep labels the newly visited vertices, queues them in the order of ids, and sums their
// edges. It reads 8 bytes per 32 vertices, and two offsets per vertex.
//
// Newly visited are the bits that front[(level + 1) % 2], a copy of `visited` from when the level
// began, lacks. The sweep replaces this copy by the next frontier, and the bits of this level's
// frontier by the next level's copy. Levels that claim or are small keep no copy: the first level
// after them that sweeps makes one, which takes a barrier of the grid.
//
// Where the next level is expected to go bottom-up, the sweep may leave labels to that level, and
// queues nothing. All threads of the grid call these functions, with a barrier between them and
// after them.
#pragma once

#include "kernels/cuda/fused/top_down.cuh"

namespace bfslab::cuda {

struct FusedSweepMemory {
  std::uint16_t laid_out[kFusedWarps][1024];
};

// Requests the degrees of kEach vertices of a turn: of those that lay_out() has listed, the i-th
// and each kStride-th after it.
template <int kStride, int kEach, typename Work>
__device__ __forceinline__ void fused_degrees(const Work& work, std::uint32_t first,
                                              const std::uint16_t* listed, std::uint32_t i,
                                              std::uint32_t count, vertex_t (&v)[kEach],
                                              std::uint32_t (&degree)[kEach]) {
#pragma unroll
  for (int t = 0; t < kEach; ++t) {
    const std::uint32_t at = i + kStride * t;
    v[t] = at < count ? first * 32 + listed[at] : kNoVertex;
    degree[t] = 0;
    if (v[t] != kNoVertex) degree[t] = static_cast<std::uint32_t>(degree_of(work.out, v[t]));
  }
}

// Queues `level`'s vertices and sums their edges, those before each and all; `labels` them, too.
// bits_of(w) returns a word of their bits, and is called once per word. A lane takes neighbours of
// the queue, so that ids ascend in each turn's part.
//
// With wide offsets, places and edges do not fit in one number. Places are then reserved in the
// level's slot, and only all edges are summed.
template <typename Work, typename BitsOf>
__device__ void fused_queue(const Work& work, const FusedCourse& course, level_t level, bool labels,
                            BitsOf bits_of) {
  using Claimed = FusedClaimed<typename Work::Offset>;
  constexpr int kEach = 4;
  auto& shared = *reinterpret_cast<FusedSweepMemory*>(fused_shared());
  std::uint16_t* const positions = shared.laid_out[threadIdx.x / 32];
  unsigned long long* const claimed = fused_claimed(work, course);
  fused_clear_claimed(work, course);
  edge_t* const sums = work.sums.edges_before;
  if (thread_in_grid() == 0) sums[0] = 0;
  vertex_t* const queue = work.queues[level % 2];
  unsigned long long edges = 0;  // of wide offsets
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_per_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    const std::uint32_t bits = lane_id() < work.chunk && w < work.words ? bits_of(w) : 0;
    if (__any_sync(kAllLanes, bits != 0) == 0) continue;
    const std::uint32_t count = lay_out(bits, positions);
    __syncwarp();
    for (std::uint32_t begin = 0; begin < count; begin += 32 * kEach) {
      vertex_t v[kEach];
      std::uint32_t degree[kEach];
      fused_degrees<1>(work, first, positions, begin + lane_id() * kEach, count, v, degree);
      Claimed own;
#pragma unroll
      for (int t = 0; t < kEach; ++t)
        own.both += v[t] != kNoVertex ? Claimed::one(degree[t]).both : 0;
      Claimed at;
      std::uint32_t place = 0;
      if constexpr (Claimed::kHoldsAll) {
        at = fused_reserve(claimed, own);
        place = at.vertices();
      } else {
        place = places_of_warp(&work.slots.at(level)->queued[0], own.vertices());
        edges += own.edges();
      }
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        if (v[t] == kNoVertex) continue;
        if (labels) work.levels[v[t]] = level;
        queue[place] = v[t];
        ++place;
        at.both += degree[t];
        if constexpr (Claimed::kHoldsAll) sums[place] = at.edges();
      }
    }
    __syncwarp();
  }
  if constexpr (!Claimed::kHoldsAll) add_of_block(edges, claimed);
}

// Copies `visited` for the sweep of this level, before the first edge is visited.
template <typename Offset>
__device__ void fused_copy_visited(const FusedWork<Offset>& work, level_t level) {
  std::uint32_t* const seen = work.front[(level + 1) % 2];
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    seen[w] = work.visited[w];
  }
}

// Returns the bits of word w that are new in `level`, and makes them the word of its frontier, in
// place of what was visited when the level began. `keeps`: copies what is visited now, for the next
// sweep. `moved`: words that passed between members.
template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_take_new(const FusedWork<Offset>& work,
                                                        level_t level, std::uint32_t w, bool keeps,
                                                        unsigned& /*moved*/) {
  std::uint32_t* const front = work.front[level % 2];
  const std::uint32_t visited = work.visited[w];
  const std::uint32_t bits = visited & ~front[w];
  front[w] = bits;
  if (keeps) work.front[(level + 1) % 2][w] = visited;
  return bits;
}

// Sweeps the vertices of `level`, which the level before it has visited.
template <typename Work>
__device__ void fused_sweep(const Work& work, const FusedCourse& course, level_t level) {
  unsigned moved = 0;
  fused_queue(work, course, level, true,
              [&](std::uint32_t w) { return fused_take_new(work, level, w, true, moved); });
  fused_count_moved(work, level - 1, moved);
}

// The sweep of a level before bottom-up, which needs no queue. It sets front[level % 2] and sums
// vertices and edges. Their labels are left to the next level, which writes others beside them.
template <typename Work>
__device__ void fused_sweep_late(const Work& work, level_t level) {
  constexpr int kEach = 4;
  auto& shared = *reinterpret_cast<FusedSweepMemory*>(fused_shared());
  std::uint16_t* const positions = shared.laid_out[threadIdx.x / 32];
  LevelSlot* const slot = work.slots.at(level);
  unsigned long long edges = 0;
  unsigned found = 0;
  unsigned moved = 0;
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_per_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    std::uint32_t bits = 0;
    if (lane_id() < work.chunk && w < work.words) {
      bits = fused_take_new(work, level, w, false, moved);
    }
    if (__any_sync(kAllLanes, bits != 0) == 0) continue;
    found += __popc(bits);
    const std::uint32_t count = lay_out(bits, positions);
    __syncwarp();
    for (std::uint32_t i = lane_id(); i < count; i += 32 * kEach) {
      vertex_t v[kEach];
      std::uint32_t degree[kEach];
      fused_degrees<32>(work, first, positions, i, count, v, degree);
#pragma unroll
      for (int t = 0; t < kEach; ++t) edges += degree[t];
    }
    __syncwarp();
  }
  add_of_block(found, &slot->vertices);
  add_of_block(edges, &slot->edges);
  fused_count_moved(work, level - 1, moved);
}

// Sets the bit of an unvisited neighbour; the sweep does the rest.
struct FusedVisit {
  static constexpr int kBatch = 4;
  static constexpr unsigned moved = 0;  // words that passed between members
  ReachedView reached;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(reached.reached + word); });
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    if (reached.parents != nullptr) reached.parents[to] = from;
    set_together(reached.reached, to);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedVisit>);

template <typename Offset>
__device__ __forceinline__ FusedVisit fused_visit(const FusedWork<Offset>& work) {
  return {{work.visited, work.parents}};
}

template <typename Work>
__device__ void fused_expand(const Work& work, const FusedCourse& course) {
  auto visit = fused_visit(work);
  fused_visit_queue(work, course, visit);
  fused_count_moved(work, course.at.level, visit.moved);
}

}  // namespace bfslab::cuda
