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
  std::uint32_t mask = 1U << v % 32;
#if __CUDA_ARCH__ >= 800
  const unsigned peers = __match_any_sync(__activemask(), v / 32);
  if (__popc(peers) > 1) {
    mask = __reduce_or_sync(peers, mask);
    if (static_cast<int>(lane_id()) != __ffs(static_cast<int>(peers)) - 1) return;
  }
#endif
  atomicOr(bits + v / 32, mask);
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

// Sets bit r % 32 of bits[r / 32] to has(r) for all r below `rows`; the last word's other bits
// become 0. Returns the rows that this thread marked. Called by all threads of the grid, in whole
// warps.
template <typename Has>
__device__ std::uint32_t mark_rows(std::uint64_t rows, std::uint32_t* bits, Has has) {
  std::uint32_t marked = 0;
  for (std::uint64_t first = thread_in_grid() - lane_id(); first < rows;
       first += threads_in_grid()) {
    const std::uint64_t r = first + lane_id();
    const unsigned word = __ballot_sync(kAllLanes, r < rows && has(r));
    if (lane_id() != 0) continue;
    bits[first / 32] = word;
    marked += __popc(word);
  }
  return marked;
}

// Bits of a frontier, of which a block keeps the first ones in shared memory. Where ids are ordered
// by degree these are hubs, with which most rows begin, and all lanes look them up at once; the
// level-1 cache would take a turn for each line that they ask for.
template <unsigned kThreads>
struct KeptBits {
  static constexpr unsigned kMaxKept = 4096;

  const std::uint32_t* bits = nullptr;
  std::uint32_t kept = 0;  // words, at most kMaxKept

  // Keeps the bits. Called by all threads of a block of kThreads before it looks, whenever the
  // bits have changed, and followed by a barrier of the block.
  __device__ void keep() const {
    __syncthreads();  // looks before this one may still read them
    for (std::uint32_t w = threadIdx.x; w < kept; w += kThreads) space()[w] = bits[w];
  }
  // Returns where they are kept. The compiler cannot see through this pointer: it would compute the
  // address anew for each look otherwise.
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() {
    const std::uint32_t* words = space();
    asm("" : "+l"(words));
    return words;
  }
  // Returns the word with u's bit.
  [[nodiscard]] __device__ std::uint32_t word_of(vertex_t u,
                                                 const std::uint32_t* kept_words) const {
    const std::uint32_t* const words = u / 32 < kept ? kept_words : bits;
    return words[u / 32];
  }

 private:
  [[nodiscard]] __device__ static std::uint32_t* space() {
    __shared__ std::uint32_t words[kMaxKept];
    return words;
  }
};

// Bits of which none are kept.
struct PlainBits {
  const std::uint32_t* bits = nullptr;

  __device__ static void keep() {}
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() { return nullptr; }
  [[nodiscard]] __device__ std::uint32_t word_of(vertex_t u, const std::uint32_t* /*kept*/) const {
    return bits[u / 32];
  }
};

}  // namespace bfslab::cuda
