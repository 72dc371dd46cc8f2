// The Kronecker generator of Graph500 (papers/graph500-romeo.txt section 3.2; Chakrabarti, Zhan,
// Faloutsos, SDM 2004). Tuple i descends `scale` times into one of four quadrants of the adjacency
// matrix, chosen with probabilities A, B, C and 1 - A - B - C; then both endpoints are relabelled
// by one random permutation, so that an id tells nothing about the degree. Graph500 also shuffles
// the order of the tuples: ours are independent of one another, hence already in random order.
//
// Everything after the constructor is integer arithmetic on (key, i): a device kernel that is given
// the same tables and keys makes the same tuples, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "datasets/build/edge_source.hpp"
#include "datasets/generate/counter_random.hpp"

namespace bfslab {

// Draws several quadrants at once, by the alias method (Walker 1977; Vose 1991), from one 32-bit
// random word: the top 2*levels bits pick a slot, the rest is compared with the slot's threshold.
// Slot k stands for row bits k % 2^levels and column bits k / 2^levels. The 4^levels products of
// the quadrant probabilities are rounded to multiples of 2^-32, with the remainder on the largest.
class QuadrantTable {
 public:
  QuadrantTable(double a, double b, double c, unsigned levels);

  [[nodiscard]] unsigned levels() const noexcept { return levels_; }
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
  unsigned levels_;
  unsigned fraction_bits_;
  std::uint32_t fraction_mask_;
  std::vector<std::uint64_t> slots_;  // alias in the upper half, threshold in the lower
};

class KroneckerSource final : public EdgeSource {
 public:
  // 1 <= scale <= 31; a + b + c <= 1.
  KroneckerSource(unsigned scale, edge_t edge_factor, double a, double b, double c,
                  std::uint64_t seed);
  void fill(edge_t first, std::span<Edge> out) const override;

 private:
  static constexpr unsigned kLevels = 5;  // 1024 slots: 8 KiB, a quarter of an L1 cache
  unsigned scale_;
  unsigned blocks_;  // draws a tuple: scale / kLevels full ones and one for the rest
  std::uint64_t key_;
  QuadrantTable full_;
  QuadrantTable rest_;
  BitPermutation permutation_;
};

}  // namespace bfslab
