// SPDX-License-Identifier: Apache-2.0
// Draws one of 2^bits slots at given weights from a 32-bit random word, by the alias method
// (Walker, TOMS 1977; Vose, TSE 1991): the top bits pick a slot, the rest is compared with its
// threshold.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/graph/host_device.hpp"

namespace bfslab {

// A table whose slots are in memory owned elsewhere, such as a GPU's.
struct AliasView {
  const std::uint64_t* slots = nullptr;  // alias in the upper half, threshold in the lower
  unsigned fraction_bits = 0;            // 32 - log2 of the number of slots

  // Written without a branch, which would be mispredicted half the time.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t draw(std::uint32_t word) const {
    const std::uint32_t slot = word >> fraction_bits;
    const std::uint64_t entry = slots[slot];
    const auto threshold = static_cast<std::uint32_t>(entry);
    const auto alias = static_cast<std::uint32_t>(entry >> 32);
    const auto fraction_mask = static_cast<std::uint32_t>((std::uint64_t{1} << fraction_bits) - 1);
    const std::uint32_t take_alias =
        0U - static_cast<std::uint32_t>((word & fraction_mask) >= threshold);
    return slot ^ ((slot ^ alias) & take_alias);
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t size() const {
    return std::uint32_t{1} << (32 - fraction_bits);
  }
};

class AliasTable {
 public:
  // Weights in units of 2^-32; their number is a power of two (2 to 2^31) and their sum exactly
  // 2^32: see fill_up.
  explicit AliasTable(std::vector<std::uint64_t> weights);

  [[nodiscard]] std::uint32_t draw(std::uint32_t word) const { return view().draw(word); }
  // Valid as long as the table is.
  [[nodiscard]] AliasView view() const { return {slots_.data(), fraction_bits_}; }

 private:
  unsigned fraction_bits_;
  std::vector<std::uint64_t> slots_;
};

// Makes weights that were rounded one by one sum to 2^32: the largest takes the remainder.
void fill_up(std::vector<std::uint64_t>& weights);

}  // namespace bfslab
