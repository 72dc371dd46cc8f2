// SPDX-License-Identifier: Apache-2.0
// Bins of numbers that begin small and grow with the numbers: by them rows are counted, and degrees
// are told apart no more finely than by a share of them. Plain arithmetic that a device can do,
// too.
#pragma once

#include <cstdint>

namespace bfslab::distributed {

// How many bits a number has. By arithmetic: nvcc 13 takes std::bit_width into device code without
// a word and leaves out what depends on it.
constexpr unsigned width_of(std::uint64_t number) {
  unsigned width = 0;
  for (unsigned bits = 32; bits > 0; bits /= 2) {
    if ((number >> bits) == 0) continue;
    number >>= bits;
    width += bits;
  }
  return width + static_cast<unsigned>(number);
}
static_assert(width_of(0) == 0 && width_of(1) == 1 && width_of(255) == 8 &&
              width_of(~std::uint64_t{0}) == 64);

// Bins have one number each up to 2^(precision + 1); from there on each doubling has 2^precision.
struct GradedBins {
  unsigned precision = 0;

  [[nodiscard]] constexpr std::uint32_t bin(std::uint64_t number) const {
    const unsigned doublings = width_of(number >> precision);
    if (doublings == 0) return static_cast<std::uint32_t>(number);
    return static_cast<std::uint32_t>((std::uint64_t{doublings - 1} << precision) +
                                      (number >> (doublings - 1)));
  }
  [[nodiscard]] constexpr std::uint64_t first(std::uint32_t bin) const {
    const unsigned doublings = bin >> precision;
    if (doublings == 0) return bin;
    const std::uint64_t within = bin - (std::uint64_t{doublings - 1} << precision);
    return within << (doublings - 1);
  }
  [[nodiscard]] constexpr std::uint32_t count(std::uint64_t numbers) const {
    return numbers > 0 ? bin(numbers - 1) + 1 : 0;
  }
  // How many numbers the largest of them has, as a power of two.
  [[nodiscard]] constexpr unsigned widest(std::uint64_t numbers) const {
    const unsigned doublings = numbers > 0 ? width_of((numbers - 1) >> precision) : 0;
    return doublings > 0 ? doublings - 1 : 0;
  }
};

}  // namespace bfslab::distributed
