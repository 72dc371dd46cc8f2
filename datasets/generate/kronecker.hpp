// SPDX-License-Identifier: Apache-2.0
// The Kronecker generator of Graph500 (graph500-romeo, section 3.3.1; Chakrabarti et al., SDM
// 2004). Tuple i descends `scale` times into one of four quadrants of the adjacency
// matrix, chosen with probabilities A, B, C and 1 - A - B - C; then both endpoints are relabelled
// by one random permutation, so that an id says nothing about the degree. Graph500 also shuffles
// the order of the tuples: ours are independent of one another, hence already in random order.
//
// Everything after the constructor is integer arithmetic on (key, i): a device kernel that is given
// the same tables and keys (tuples()) makes the same tuples, bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/alias_table.hpp"
#include "datasets/generate/quadrant_tuples.hpp"
#include "datasets/generate/recipe.hpp"

namespace bfslab {

// The quadrants of a recipe: its parameters a, b and c, each from 0 to 1.
struct Quadrants {
  double a, b, c;

  static GraphParameter parameter(const char* name, const char* default_value, const char* doc);
  // Throws InputError where they are more than 1 together.
  explicit Quadrants(const Recipe& graph);
};

// Draws several quadrants at once from one 32-bit random word. Slot k stands for row bits
// k % 2^levels and column bits k / 2^levels. The 4^levels products of the quadrant probabilities
// are rounded to multiples of 2^-32, with the remainder on the largest.
class QuadrantTable {
 public:
  // 1 <= levels <= 15.
  QuadrantTable(double a, double b, double c, unsigned levels);

  [[nodiscard]] unsigned levels() const noexcept { return levels_; }
  [[nodiscard]] std::uint32_t draw(std::uint32_t word) const { return table_.draw(word); }
  [[nodiscard]] QuadrantView view() const { return {levels_, table_.view()}; }

 private:
  unsigned levels_;
  AliasTable table_;
};

// The descent itself, `levels` deep: tuple i's row and column before any relabelling.
class QuadrantDescent {
 public:
  static constexpr std::size_t kBatch = 512;

  // 1 <= levels <= 32; a + b + c <= 1.
  QuadrantDescent(unsigned levels, double a, double b, double c, std::uint64_t key);
  // Tuples first .. first + rows.size() - 1; rows and columns have the same size, at most kBatch.
  void draw(edge_t first, std::span<std::uint32_t> rows, std::span<std::uint32_t> columns) const;
  // Valid as long as the descent is.
  [[nodiscard]] DescentView view() const;

 private:
  static constexpr unsigned kLevels = 5;  // 1024 slots: 8 KiB, a quarter of an L1 cache
  unsigned levels_;
  unsigned blocks_;  // draws per tuple: levels / kLevels full ones and one for the rest
  std::uint64_t key_;
  QuadrantTable full_;
  QuadrantTable rest_;
};

class KroneckerSource final : public QuadrantSource {
 public:
  // 1 <= scale <= 31; a + b + c <= 1.
  KroneckerSource(unsigned scale, edge_t edge_factor, double a, double b, double c,
                  std::uint64_t seed);
  void fill(edge_t first, std::span<Edge> out) const override;
  [[nodiscard]] QuadrantTuples tuples() const override;

 private:
  unsigned scale_;
  QuadrantDescent descent_;
  BitPermutation permutation_;
};

}  // namespace bfslab
