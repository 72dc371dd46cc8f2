// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/rank_weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace bfslab {

namespace {

using Wide = unsigned __int128;

constexpr std::uint32_t kPerOctave = 64;

// The largest r with r * r <= x, bit by bit.
std::uint64_t square_root(Wide x) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t trial = root | bit;
    if (static_cast<Wide>(trial) * trial <= x) root = trial;
  }
  return root;
}

// halvings[k] = 2^(-2^-(k+1)) in units of 2^-63: each the root of the one before.
const std::array<std::uint64_t, 32>& halvings() {
  static const std::array<std::uint64_t, 32> table = [] {
    std::array<std::uint64_t, 32> roots{};
    std::uint64_t value = std::uint64_t{1} << 62;  // 1/2
    for (std::uint64_t& root : roots) {
      value = square_root(static_cast<Wide>(value) << 63);
      root = value;
    }
    return roots;
  }();
  return table;
}

std::vector<RankWeights::Segment> cut(vertex_t vertices) {
  std::vector<RankWeights::Segment> segments;
  std::uint64_t step = 1;
  for (std::uint64_t first = 0; first < vertices;) {
    // From 64 on, the segments of octave [2^o, 2^(o+1)) are 2^o / 64 long.
    if (first >= kPerOctave) step = std::bit_floor(first) / kPerOctave;
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(step, vertices - first));
    segments.push_back({static_cast<std::uint32_t>(first), length, 0});
    first += length;
  }
  return segments;
}

void weigh(std::vector<RankWeights::Segment>& segments, double exponent, std::uint64_t offset) {
  const auto slope = static_cast<std::uint64_t>(std::llround(std::ldexp(1.0 / (exponent - 1), 32)));
  // Halves of ranks, so that a middle is whole.
  const std::uint64_t top = fixed_log2(2 * (1 + offset));
  std::vector<Wide> masses;
  Wide total = 0;
  for (const auto& segment : segments) {
    const std::uint64_t middle =
        2 * (std::uint64_t{segment.first} + 1 + offset) + (segment.length - 1);
    const Wide below = static_cast<Wide>(fixed_log2(middle) - top) * slope >> 32;
    const auto weight =
        below >> 38 != 0 ? 0 : fixed_exp2_of_minus(static_cast<std::uint64_t>(below));
    masses.push_back(static_cast<Wide>(weight) * segment.length);
    total += masses.back();
  }
  std::vector<std::uint64_t> weights;
  for (const Wide mass : masses)
    weights.push_back(static_cast<std::uint64_t>((mass << 32) / total));
  fill_up(weights);
  for (std::size_t s = 0; s < segments.size(); ++s) segments[s].weight = weights[s];
}

std::vector<std::uint64_t> table_weights(const std::vector<RankWeights::Segment>& segments) {
  // Two slots or more, a power of two of them: the empty ones are never drawn.
  std::vector<std::uint64_t> weights(std::max<std::size_t>(2, std::bit_ceil(segments.size())));
  for (std::size_t s = 0; s < segments.size(); ++s) weights[s] = segments[s].weight;
  return weights;
}

std::vector<RankWeights::Segment> weighed(vertex_t vertices, double exponent,
                                          std::uint64_t offset) {
  auto segments = cut(vertices);
  weigh(segments, exponent, offset);
  return segments;
}

}  // namespace

RankWeights::RankWeights(vertex_t vertices, double exponent, std::uint64_t offset)
    : segments_(weighed(vertices, exponent, offset)), table_(table_weights(segments_)) {
  for (const Segment& segment : segments_) places_.push_back({segment.first, segment.length});
  places_.resize(std::max<std::size_t>(2, std::bit_ceil(segments_.size())));
}

std::uint64_t fixed_log2(std::uint64_t x) {
  const auto whole = static_cast<unsigned>(std::bit_width(x)) - 1;
  std::uint64_t mantissa = x << (63 - whole);  // in [1, 2), units of 2^-63
  std::uint64_t fraction = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const Wide square = static_cast<Wide>(mantissa) * mantissa >> 63;  // in [1, 4)
    const bool two = square >> 64 != 0;
    fraction |= static_cast<std::uint64_t>(two) << bit;
    mantissa = static_cast<std::uint64_t>(two ? square >> 1 : square);
  }
  return std::uint64_t{whole} << 32 | fraction;
}

std::uint64_t fixed_exp2_of_minus(std::uint64_t y) {
  const std::uint64_t whole = y >> 32;
  if (whole > 63) return 0;
  std::uint64_t value = std::uint64_t{1} << 63;
  for (unsigned k = 0; k < 32; ++k) {
    if ((y >> (31 - k) & 1) == 0) continue;
    value = static_cast<std::uint64_t>(static_cast<Wide>(value) * halvings()[k] >> 63);
  }
  return value >> whole;
}

}  // namespace bfslab
