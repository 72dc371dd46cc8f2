// SPDX-License-Identifier: Apache-2.0
// RandomStream: SplitMix64 (Steele et al., OOPSLA 2014). It gives the same numbers on every machine
// and with every library, which std::shuffle does not promise.
#pragma once

#include <cstdint>

namespace bfslab {

class RandomStream {
 public:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;  // of the state, for each number
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += kStep);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Returns a number uniform in [0, bound), by multiply and shift; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bfslab
