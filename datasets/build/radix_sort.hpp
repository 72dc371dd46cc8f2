// SPDX-License-Identifier: Apache-2.0
// Least-significant-digit radix sort of unsigned words, sequential: for arrays that fit a cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bfslab {

// Sorts by bits [low, high) of each word, stably. `scratch` is as long as `words`; the result is
// in whichever of the two is returned. Digits of up to 10 bits: their counters stay in L1.
template <typename Word>
std::span<Word> radix_sort(std::span<Word> words, std::span<Word> scratch, unsigned low,
                           unsigned high) {
  if (low >= high || words.size() < 2) return words;
  constexpr unsigned kDigit = 10;
  const unsigned passes = (high - low + kDigit - 1) / kDigit;
  const unsigned digit = (high - low + passes - 1) / passes;
  const auto mask = static_cast<Word>((Word{1} << digit) - 1);
  std::array<std::size_t, std::size_t{1} << kDigit> place{};
  for (unsigned shift = low; shift < high; shift += digit) {
    place.fill(0);
    for (const Word word : words) ++place[(word >> shift) & mask];
    std::size_t sum = 0;
    for (Word value = 0; value <= mask; ++value) sum += std::exchange(place[value], sum);
    for (const Word word : words) scratch[place[(word >> shift) & mask]++] = word;
    std::swap(words, scratch);
  }
  return words;
}

}  // namespace bfslab
