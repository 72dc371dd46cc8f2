// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/tails.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/generate/rank_weights.hpp"

namespace bfslab {

namespace {

constexpr std::uint64_t kMaxTails = std::uint64_t{1} << 20;

// Returns the vertices of each of the two tails of a pair. The first pair has the full length, and
// one after the last would have 1; in between the length falls as the logarithm rises. `whole` is
// fixed_log2 of the number of pairs.
std::uint64_t length_of_pair(std::uint64_t pair, std::uint64_t whole, std::uint64_t full) {
  if (whole == 0) return full;
  const unsigned __int128 left = whole - fixed_log2(pair + 1);
  return 1 + static_cast<std::uint64_t>(left * (full - 1) / whole);
}

}  // namespace

Tails::Tails(std::uint64_t count, std::uint64_t length) : starts_{0} {
  if ((count == 0) != (length == 0)) {
    throw InputError(
        fmt::format("{} tails of up to {} vertices: give both numbers, or neither", count, length));
  }
  starts_.reserve(count + 1);
  const std::uint64_t pairs = (count + 1) / 2;
  const std::uint64_t whole = count == 0 ? 0 : fixed_log2(pairs);
  for (std::uint64_t pair = 0; pair < pairs;) {
    const std::uint64_t tail_length = length_of_pair(pair, whole, length);
    const auto is_as_long = [&](std::uint64_t other) {
      return other < pairs && length_of_pair(other, whole, length) == tail_length;
    };
    // Pairs of one length follow each other, so doubled steps and then halved ones find the last.
    std::uint64_t last = pair, step = 1;
    for (; is_as_long(last + step); step *= 2) last += step;
    for (; step > 0; step /= 2) {
      if (is_as_long(last + step)) last += step;
    }
    const std::uint64_t end = std::min(2 * (last + 1), count);
    for (std::uint64_t tail = 2 * pair; tail < end; ++tail) {
      starts_.push_back(starts_.back() + tail_length);
    }
    pair = last + 1;
  }
  if (vertices() > static_cast<std::uint64_t>(kMaxVertices)) {
    throw InputError(fmt::format("{} tails of up to {} vertices exceed {} vertices", count, length,
                                 static_cast<std::uint64_t>(kMaxVertices)));
  }
}

Tails::Place Tails::place(std::uint64_t vertex) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), vertex);
  const auto tail = static_cast<std::uint64_t>(next - starts_.begin()) - 1;
  return {tail, vertex - starts_[tail]};
}

std::vector<GraphParameter> tail_parameters() {
  using Kind = GraphParameter::Kind;
  return {
      {"tails",
       Kind::integer,
       {},
       0,
       static_cast<double>(kMaxTails),
       "0",
       "paths that hang on light vertices, one on each, and make the graph deep",
       true},
      {"tail_length",
       Kind::integer,
       {},
       0,
       kMaxVertices,
       "0",
       "vertices of the longest two; the others are shorter, most of them far shorter",
       true},
  };
}

Tails tails_of(const Recipe& graph) {
  return {graph.integer("tails"), graph.integer("tail_length")};
}

}  // namespace bfslab
