// SPDX-License-Identifier: Apache-2.0
// Sets of vertices as bits, whose members are numbered in the order of ids: a vertex's number is
// that of the bits before its own, those of the words before, which are kept, and those of its
// word.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

// A set of vertices, and for each word of it how many of the set lie before.
struct RankedBits {
  DeviceBuffer<std::uint32_t> bits;    // [words], four at a time
  DeviceBuffer<std::uint32_t> before;  // [words + 1]
  std::uint32_t count = 0;             // of the set

  [[nodiscard]] std::uint64_t bytes() const { return bits.bytes() + before.bytes(); }
};

// Sets all but the bits from these. Returns when it is there.
void rank(RankedBits& ranked, const Stream& stream);

struct RankedView {
  const std::uint32_t* bits = nullptr;
  const std::uint32_t* before = nullptr;
  std::uint32_t count = 0;

  [[nodiscard]] static RankedView from(const RankedBits& ranked) {
    return {ranked.bits.data(), ranked.before.data(), ranked.count};
  }
#ifdef __CUDACC__
  // Returns how many of the set lie before bit `bit` of the word, whose bits are `word_bits`.
  [[nodiscard]] __device__ std::uint32_t rank(std::size_t word, std::uint32_t word_bits,
                                              unsigned bit) const {
    return before[word] + __popc(word_bits & ((1U << bit) - 1));
  }
  // Returns the place of v: one behind all others where it is not in the set.
  [[nodiscard]] __device__ vertex_t place(vertex_t v) const {
    const std::uint32_t word_bits = bits[v / 32];
    const std::uint32_t place = rank(v / 32, word_bits, v % 32);  // both words are read at once
    return (word_bits >> v % 32 & 1U) != 0 ? place : count;
  }
#endif
};

}  // namespace bfslab::cuda
