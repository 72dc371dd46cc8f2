// SPDX-License-Identifier: Apache-2.0
// Counter-based randomness: value i of stream `seed` is a pure function of (seed, i), so any
// thread, process or device can compute any slice. Integer arithmetic only, hence bit-identical
// everywhere.
#pragma once

#include <bit>
#include <cstdint>

#include "datasets/graph/host_device.hpp"

namespace bfslab {

// Full avalanche of 64 bits (the finaliser of SplitMix64: Steele et al., OOPSLA 2014).
BFSLAB_HOST_DEVICE constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Derives an unrelated key from a seed and a small number that says what the key is for.
BFSLAB_HOST_DEVICE constexpr std::uint64_t derive_key(std::uint64_t seed, std::uint64_t purpose) {
  return mix64(mix64(seed + 0x9e3779b97f4a7c15U) ^ (purpose * 0xd6e8feb86659fd93U));
}

// Both halves of a 128-bit product, folded: one multiplication instead of mix64's two. The key is
// the output of mix64 and the counter is spread over 64 bits before the product, as wyrand does.
BFSLAB_HOST_DEVICE constexpr std::uint64_t counter_random(std::uint64_t key,
                                                          std::uint64_t counter) {
  const std::uint64_t a = key + counter * 0xa0761d6478bd642fU;
  const auto product = static_cast<unsigned __int128>(a) * (a ^ 0xe7037ed1a0b428dbU);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Maps 64 random bits to 0 .. bound-1 without division; the bias is below bound / 2^64.
BFSLAB_HOST_DEVICE constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
}

// A bijection on 0 .. 2^bits-1 chosen by a key: rounds of multiplication by an odd number, addition
// and a right shift folded in, each of which is invertible. 32-bit words, so that loops vectorise.
class BitPermutation {
 public:
  // 0 <= bits <= 32.
  constexpr BitPermutation(unsigned bits, std::uint64_t key)
      : mask_(bits >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1),
        shift_(bits < 2 ? 1 : (bits + 1) / 2) {
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t bitstring = derive_key(key, static_cast<std::uint64_t>(round));
      multiplier_[round] = static_cast<std::uint32_t>(bitstring >> 32) | 1U;
      addend_[round] = static_cast<std::uint32_t>(bitstring);
    }
  }

  BFSLAB_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t x) const {
    for (int round = 0; round < kRounds; ++round) {
      x = (x * multiplier_[round] + addend_[round]) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  static constexpr int kRounds = 4;
  std::uint32_t mask_;
  unsigned shift_;
  std::uint32_t multiplier_[kRounds]{};
  std::uint32_t addend_[kRounds]{};
};

// A bijection on 0 .. size-1 chosen by a key: that of the next power of two, walked until it is
// below `size` again, which takes fewer than two steps on average.
class RangePermutation {
 public:
  // 1 <= size <= 2^32.
  constexpr RangePermutation(std::uint64_t size, std::uint64_t key)
      : size_(size), bits_(static_cast<unsigned>(std::bit_width(size - 1)), key) {}
  // `bits` permutes at least `size` numbers, or the walk would leave the range and never return.
  constexpr RangePermutation(std::uint64_t size, const BitPermutation& bits)
      : size_(size), bits_(bits) {}

  BFSLAB_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t x) const {
    do x = bits_(x);
    while (x >= size_);
    return x;
  }

 private:
  std::uint64_t size_;
  BitPermutation bits_;
};

}  // namespace bfslab
