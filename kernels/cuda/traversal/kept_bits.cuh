// SPDX-License-Identifier: Apache-2.0
// Bits that lanes look up at random, the first of them in shared memory.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

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
