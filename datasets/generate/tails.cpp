// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/tails.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/generate/rank_weights.hpp"

namespace bfslab {

namespace {

constexpr std::uint64_t kMaxTails = std::uint64_t{1} << 20;

}  // namespace

Tails::Tails(std::uint64_t count, std::uint64_t length) : starts_{0} {
  if ((count == 0) != (length == 0)) {
    throw InputError(
        fmt::format("{} tails of up to {} vertices: give both numbers, or neither", count, length));
  }
  starts_.reserve(count + 1);
  const std::uint64_t pairs = (count + 1) / 2;
  const std::uint64_t whole = count == 0 ? 0 : fixed_log2(pairs);
  for (std::uint64_t tail = 0; tail < count; ++tail) {
    // 1 for the first pair, 0 for one after the last.
    const unsigned __int128 left = whole - fixed_log2(tail / 2 + 1);
    const std::uint64_t more =
        whole == 0 ? length - 1 : static_cast<std::uint64_t>(left * (length - 1) / whole);
    starts_.push_back(starts_.back() + 1 + more);
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
