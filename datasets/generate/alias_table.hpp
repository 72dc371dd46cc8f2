// Draws one of 2^bits slots at given weights from a 32-bit random word, by the alias method (Walker
// 1977; Vose 1991): the top bits pick a slot, the rest is compared with the slot's threshold.
#pragma once

#include <cstdint>
#include <vector>

namespace bfslab {

class AliasTable {
 public:
  // Weights in units of 2^-32; their number is a power of two (2 to 2^31) and their sum exactly
  // 2^32: see fill_up.
  explicit AliasTable(std::vector<std::uint64_t> weights);

  // Written without a branch, which would be mispredicted half the time.
  [[nodiscard]] std::uint32_t draw(std::uint32_t word) const {
    const std::uint32_t slot = word >> fraction_bits_;
    const std::uint64_t entry = slots_[slot];
    const auto threshold = static_cast<std::uint32_t>(entry);
    const auto alias = static_cast<std::uint32_t>(entry >> 32);
    const std::uint32_t take_alias =
        0U - static_cast<std::uint32_t>((word & fraction_mask_) >= threshold);
    return slot ^ ((slot ^ alias) & take_alias);
  }

 private:
  unsigned fraction_bits_;
  std::uint32_t fraction_mask_;
  std::vector<std::uint64_t> slots_;  // alias in the upper half, threshold in the lower
};

// Makes weights that were rounded one by one sum to 2^32: the largest takes the remainder.
void fill_up(std::vector<std::uint64_t>& weights);

}  // namespace bfslab
