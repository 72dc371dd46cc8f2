// SPDX-License-Identifier: Apache-2.0
// Places (places.hpp) as kernels take them.
#pragma once

#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/distributed/engines/delegate/places.hpp"

namespace bfslab::distributed::delegate {

struct RankedView {
  const std::uint32_t* bits = nullptr;
  const std::uint32_t* before = nullptr;
  std::uint32_t count = 0;

  [[nodiscard]] static RankedView of(const RankedBits& ranked) {
    return {ranked.bits.data(), ranked.before.data(), ranked.count};
  }
  // How many of the set lie before bit `bit` of the word, whose bits are `word_bits`.
  [[nodiscard]] __device__ std::uint32_t rank(std::size_t word, std::uint32_t word_bits,
                                              unsigned bit) const {
    return before[word] + __popc(word_bits & ((1U << bit) - 1));
  }
  // The place of v: one behind all others where it is not in the set.
  [[nodiscard]] __device__ local_vertex_t place(local_vertex_t v) const {
    const std::uint32_t word_bits = bits[v / 32];
    const std::uint32_t place =
        rank(v / 32, word_bits, v % 32);  // both words are asked for at once
    return (word_bits >> v % 32 & 1U) != 0 ? place : count;
  }
};

}  // namespace bfslab::distributed::delegate
