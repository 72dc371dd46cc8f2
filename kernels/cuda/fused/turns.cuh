// SPDX-License-Identifier: Apache-2.0
// Divides words of bits, and the shared memory, among the grid of `fused`.
#pragma once

#include "kernels/cuda/fused/work.hpp"
#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

// Shared memory that is requested at launch, used by one part after the other.
__device__ inline std::byte* fused_shared() {
  extern __shared__ uint4 fused_memory[];
  return reinterpret_cast<std::byte*>(fused_memory);
}

// Returns whether a search is over: it has found all that it can, or all up to its limit.
template <typename Offset>
__device__ __forceinline__ bool is_over(const FusedWork<Offset>& work, const FusedCourse& course) {
  return course.at.frontier == 0 || course.at.level >= work.depth_limit;
}

// Returns the first word of a warp's first turn. A turn is `chunk` words, at most 32, so that the
// turns of all warps end together. Neighbouring turns, of hubs if ids are ordered by degree, go to
// different blocks.
__device__ inline std::uint32_t fused_first_word(std::uint32_t chunk) {
  return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * chunk;
}
__device__ inline std::uint32_t fused_words_per_round(std::uint32_t chunk) {
  return gridDim.x * kFusedWarps * chunk;
}

// --- What a level needs of all bits, of which the words of its vertices are a part. Here one
// searches alone, and they are the same words. members.cuh has the same functions for several
// members, which search a part of the vertices each. A vertex then has a number among its member's,
// by which its member knows it, and an id among all, by which rows, bits and parents name it.

// Returns the id of a vertex by its number.
template <typename Offset>
__device__ __forceinline__ vertex_t fused_id(const FusedWork<Offset>& /*work*/, vertex_t v) {
  return v;
}
// Returns whether a vertex, by id, is searched: it has edges, and is no leaf that is left out.
template <typename Offset>
__device__ __forceinline__ bool fused_is_searched(const FusedWork<Offset>& work, vertex_t id) {
  return id < work.vertices;
}
// Returns the number of a vertex, by id, if it is this member's; otherwise kNoVertex.
template <typename Offset>
__device__ __forceinline__ vertex_t fused_own_number(const FusedWork<Offset>& /*work*/,
                                                     vertex_t id) {
  return id;
}
// Returns the place of a word of its vertices among all words of bits, and the number of these.
template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_place(const FusedWork<Offset>& /*work*/,
                                                     std::uint32_t w) {
  return w;
}
template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_all_words(const FusedWork<Offset>& work) {
  return work.words;
}
// Sets a word of the bits `front` of `level`; returns how many words passed to other members.
template <typename Offset>
__device__ __forceinline__ unsigned fused_set_front(const FusedWork<Offset>& /*work*/,
                                                    std::uint32_t* front, level_t /*level*/,
                                                    std::uint32_t w, std::uint32_t bits) {
  front[w] = bits;
  return 0;
}
// Adds a vertex to the bits `front` of `level`.
template <typename Offset>
__device__ __forceinline__ unsigned fused_add_to_front(const FusedWork<Offset>& /*work*/,
                                                       std::uint32_t* front, level_t /*level*/,
                                                       vertex_t v) {
  atomicOr(front + v / 32, 1U << v % 32);
  return 0;
}
// Adds a vertex, by id, that a search finds before its first barrier, to the own bits of the
// frontier of `level`, if there are bits.
template <typename Offset>
__device__ __forceinline__ void fused_add_first(const FusedWork<Offset>& /*work*/,
                                                level_t /*level*/, vertex_t /*id*/) {}
// Counts the words that passed between members in `level`. Called by all threads of a block.
template <typename Offset>
__device__ __forceinline__ void fused_count_moved(const FusedWork<Offset>& /*work*/,
                                                  level_t /*level*/, unsigned /*words*/) {}

// Labels a vertex that a level has claimed.
template <typename Offset>
__device__ __forceinline__ void fused_label(const FusedWork<Offset>& work, level_t level,
                                            vertex_t from, vertex_t v) {
  work.levels[v] = level;
  if (work.parents != nullptr) work.parents[v] = from;
}

}  // namespace bfslab::cuda
