// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/alias_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bfslab {

AliasTable::AliasTable(std::vector<std::uint64_t> weights)
    : fraction_bits_(32 - static_cast<unsigned>(std::countr_zero(weights.size()))),
      slots_(weights.size()) {
  // Fill each slot to 2^fraction_bits exactly: its own weight, then a share of a larger one's.
  const std::uint64_t capacity = std::uint64_t{1} << fraction_bits_;
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t slot = 0; slot < weights.size(); ++slot) {
    (weights[slot] < capacity ? small : large).push_back(slot);
  }
  while (!small.empty()) {  // the weights sum to slots * capacity, so a larger one remains
    const std::uint32_t under = small.back();
    small.pop_back();
    const std::uint32_t over = large.back();
    slots_[under] = weights[under] | std::uint64_t{over} << 32;
    weights[over] -= capacity - weights[under];
    if (weights[over] < capacity) {
      large.pop_back();
      small.push_back(over);
    }
  }
  for (const std::uint32_t slot : large) {
    slots_[slot] = (capacity - 1) | std::uint64_t{slot} << 32;
  }
}

void fill_up(std::vector<std::uint64_t>& weights) {
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  // Modulo 2^64: the remainder may be negative.
  *std::max_element(weights.begin(), weights.end()) += (std::uint64_t{1} << 32) - sum;
}

}  // namespace bfslab
