// SPDX-License-Identifier: Apache-2.0
// Divides words of bits, and the shared memory, among the grid of `fused`.
#pragma once

#include "kernels/cuda/engines/fused/work.hpp"
#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

// Shared memory that is requested at launch, used by one part after the other.
__device__ inline std::byte* fused_shared() {
  extern __shared__ uint4 fused_memory[];
  return reinterpret_cast<std::byte*>(fused_memory);
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

// Labels a vertex that a level has claimed.
template <typename Offset>
__device__ __forceinline__ void fused_label(const FusedWork<Offset>& work, level_t level,
                                            vertex_t from, vertex_t v) {
  work.levels[v] = level;
  if (work.parents != nullptr) work.parents[v] = from;
}

}  // namespace bfslab::cuda
