// SPDX-License-Identifier: Apache-2.0
// Sets of vertices as bits, 32 per word. The bits of 67 million vertices fit in the cache of a GPU;
// one word per vertex does not.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

__device__ inline std::uint32_t fresh(const std::uint32_t* word) {
  return *static_cast<const volatile std::uint32_t*>(word);
}
__device__ inline bool test(const std::uint32_t* bits, std::uint32_t i) {
  return (bits[i / 32] >> (i % 32) & 1U) != 0;
}

// Returns, as bits, which of `to` have a bit that is not set. `word(w)` reads the w-th word of
// bits. All words are requested before the first is tested. kNoVertex is never among them.
template <int kCount, typename ReadWord>
__device__ __forceinline__ unsigned unset_among(const vertex_t (&to)[kCount], ReadWord word) {
  std::uint32_t words[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j) words[j] = to[j] != kNoVertex ? word(to[j] / 32) : ~0U;
  unsigned unset = 0;
#pragma unroll
  for (int j = 0; j < kCount; ++j) unset |= (~words[j] >> (to[j] % 32) & 1U) << j;
  return unset;
}

// Lists the set bits of 32 words, one word per lane: bit i of lane l's word becomes l * 32 + i, in
// ascending order. Returns their number. Called by all lanes of a warp. `places`: [1024], the
// warp's; it can be read after a __syncwarp().
__device__ inline std::uint32_t lay_out(std::uint32_t bits, std::uint16_t* places) {
  const std::uint32_t own = __popc(bits);
  const std::uint32_t upto = inclusive_of_warp(own);
  for (std::uint32_t at = upto - own; bits != 0; bits &= bits - 1) {
    places[at++] = static_cast<std::uint16_t>(lane_id() * 32 + __ffs(static_cast<int>(bits)) - 1);
  }
  return __shfl_sync(kAllLanes, upto, 31);
}

// Reserves `count` places for a whole warp and returns the first.
__device__ inline std::uint32_t place_of_warp(std::uint32_t* next, std::uint32_t count) {
  std::uint32_t place = 0;
  if (lane_id() == 0 && count > 0) place = atomicAdd(next, count);
  return __shfl_sync(kAllLanes, place, 0);
}

// Sets v's bit, with one atomic for those active lanes that set bits of the same word. Where hubs
// have adjacent ids, many rows begin with them at the same time.
__device__ inline void set_together(std::uint32_t* bits, vertex_t v) {
  std::uint32_t mine = 1U << v % 32;
#if __CUDA_ARCH__ >= 800
  const unsigned peers = __match_any_sync(__activemask(), v / 32);
  if (__popc(peers) > 1) {
    mine = __reduce_or_sync(peers, mine);
    if (static_cast<int>(lane_id()) != __ffs(static_cast<int>(peers)) - 1) return;
  }
#endif
  atomicOr(bits + v / 32, mine);
}

// Four words of bits, which are read and written at once; `word` is a multiple of four.
__device__ inline uint4 four(const std::uint32_t* bits, std::size_t word) {
  return *reinterpret_cast<const uint4*>(bits + word);
}
__device__ inline void put_four(std::uint32_t* bits, std::size_t word, const uint4& four) {
  *reinterpret_cast<uint4*>(bits + word) = four;
}
__device__ inline uint4 both(const uint4& a, const uint4& b) {
  return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}
__device__ inline uint4 either(const uint4& a, const uint4& b) {
  return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}
__device__ inline uint4 without(const uint4& a, const uint4& b) {
  return make_uint4(a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w);
}
__device__ inline bool any_of(const uint4& bits) {
  return (bits.x | bits.y | bits.z | bits.w) != 0;
}
__device__ inline bool none_in_warp(const uint4& bits) {
  return __any_sync(kAllLanes, any_of(bits)) == 0;
}
__device__ inline std::uint32_t count_of(const uint4& bits) {
  return __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
}

// Vertices as bits, set by visits without a barrier. The next frontier is what this level has set
// and the level before had not. Any parent that a level finds for a vertex is valid.
struct ReachedView {
  std::uint32_t* reached = nullptr;  // bits
  vertex_t* parents = nullptr;       // null: not requested

  [[nodiscard]] __device__ bool open(vertex_t v) const {
    return (fresh(reached + v / 32) >> (v % 32) & 1U) == 0;
  }
  // `v` was open in this level.
  __device__ void take(vertex_t v, vertex_t parent) const {
    if (parents != nullptr) parents[v] = parent;
    atomicOr(reached + v / 32, 1U << (v % 32));
  }
};

}  // namespace bfslab::cuda
