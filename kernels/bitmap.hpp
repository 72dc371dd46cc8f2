// SPDX-License-Identifier: Apache-2.0
// One bit per vertex, in 64-bit words.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab {

using word_t = std::uint64_t;
inline constexpr vertex_t kWordBits = 64;

inline std::size_t word_count(std::size_t vertices) {
  return (vertices + kWordBits - 1) / kWordBits;
}

inline word_t bit_of(vertex_t v) { return word_t{1} << (v % kWordBits); }

inline bool test(const word_t* bits, vertex_t v) {
  return ((bits[v / kWordBits] >> (v % kWordBits)) & 1) != 0;
}

inline void set_shared(word_t* bits, vertex_t v) {
  std::atomic_ref(bits[v / kWordBits]).fetch_or(bit_of(v), std::memory_order_relaxed);
}

// Returns true to the one caller that sets the bit. The check beforehand saves the locked
// instruction for the many neighbours that were visited long ago.
inline bool claim_shared(word_t* bits, vertex_t v) {
  const std::atomic_ref word(bits[v / kWordBits]);
  if ((word.load(std::memory_order_relaxed) & bit_of(v)) != 0) return false;
  return (word.fetch_or(bit_of(v), std::memory_order_relaxed) & bit_of(v)) == 0;
}

// The same on one thread.
inline bool claim_alone(word_t* bits, vertex_t v) {
  word_t& word = bits[v / kWordBits];
  if ((word & bit_of(v)) != 0) return false;
  word |= bit_of(v);
  return true;
}

// Calls visit(bit number) for every set bit, lowest first.
template <typename Visit>
void for_each_bit(word_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<vertex_t>(std::countr_zero(bits)));
}

}  // namespace bfslab
