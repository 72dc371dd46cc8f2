// SPDX-License-Identifier: Apache-2.0
// Vertices ranked by weight, the weights following a truncated power law: with degree exponent g,
// the share of vertices of degree k or more falls as k^(1-g), so the vertex of rank r weighs
// (r + 1 + offset)^(-1/(g-1)). The offset flattens the head, which bounds the largest degree.
//
// Ranks lie in segments of 1/64 octave (single ranks below 64), each of one weight, that of its
// middle: a table of at most 1728 rows stands for any number of vertices. Everything is integer
// arithmetic, logarithms too, so that every machine makes the same table.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/alias_table.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

class RankWeights {
 public:
  struct Segment {
    std::uint32_t first;   // rank
    std::uint32_t length;  // ranks
    std::uint64_t weight;  // probability of the whole segment, in units of 2^-32
  };

  // 1 <= vertices <= 2^32 - 2; exponent > 1.
  RankWeights(vertex_t vertices, double exponent, std::uint64_t offset);

  // A rank drawn by weight from 64 random bits.
  [[nodiscard]] std::uint32_t draw(std::uint64_t word) const {
    const Place& place = places_[table_.draw(static_cast<std::uint32_t>(word >> 32))];
    return place.first +
           static_cast<std::uint32_t>(((word & 0xffffffffU) * std::uint64_t{place.length}) >> 32);
  }
  // Those of length 1 or more, by rank.
  [[nodiscard]] const std::vector<Segment>& segments() const noexcept { return segments_; }

 private:
  struct Place {
    std::uint32_t first;
    std::uint32_t length;
  };
  std::vector<Segment> segments_;
  std::vector<Place> places_;
  AliasTable table_;
};

// Logarithm to base 2 of x >= 1 in units of 2^-32, rounded down; by squaring.
std::uint64_t fixed_log2(std::uint64_t x);
// 2^(-y / 2^32) in units of 2^-63, to within 2^-57; 0 where that is below 2^-63.
std::uint64_t fixed_exp2_of_minus(std::uint64_t y);

}  // namespace bfslab
