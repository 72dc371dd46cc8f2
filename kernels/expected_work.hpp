// SPDX-License-Identifier: Apache-2.0
// The expected cost of a level in either direction, by the numbers of its frontier and of the rows
// that bottom-up would look along: the rule `work` of direction_rule.hpp. The host and kernels
// evaluate it alike.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "datasets/graph/host_device.hpp"

namespace bfslab {

struct DirectionState {
  std::uint64_t frontier = 1;
  std::uint64_t previous = 0;    // the frontier before
  std::uint64_t edges = 0;       // the frontier's out-degrees, or their estimate
  std::uint64_t unexplored = 0;  // edges that no top-down frontier has held
  std::uint64_t rest = 0;        // out-degrees of the frontier and of the unvisited
  std::uint64_t candidates = 0;  // unvisited vertices that some edge enters
  // For searches that run together, `edges` is that of the union of their frontiers, and this the
  // mean over the searches; 0 for a single search.
  std::uint64_t edges_per_search = 0;

  // Advances past a level that found `found` vertices with `found_edges` out-edges, if these were
  // counted. Otherwise assumes that they have the average degree of an unvisited vertex.
  void advance(bool was_bottom_up, std::uint64_t found, std::uint64_t found_edges, bool counted) {
    if (!was_bottom_up) unexplored -= std::min(unexplored, edges);
    rest -= std::min(rest, edges);
    candidates -= std::min(candidates, found);
    previous = frontier;
    frontier = found;
    const auto share = static_cast<double>(found) /
                       static_cast<double>(std::max<std::uint64_t>(found + candidates, 1));
    edges = counted ? found_edges : static_cast<std::uint64_t>(static_cast<double>(rest) * share);
  }
};

// The lengths of a graph's rows: numbers of rows and of their entries by the bits in a row's
// length. The values of a graph's parts add up to its own.
struct RowLengths {
  std::array<std::uint64_t, 34> rows{};  // the last has all longer rows
  std::array<std::uint64_t, 34> entries{};

  void add(std::uint64_t length) {
    const int bits = std::min(static_cast<int>(std::bit_width(length)), 33);
    ++rows[bits];
    entries[bits] += length;
  }
  RowLengths& operator+=(const RowLengths& other) {
    for (std::size_t bits = 0; bits < rows.size(); ++bits) {
      rows[bits] += other.rows[bits];
      entries[bits] += other.entries[bits];
    }
    return *this;
  }
};

struct ExpectedWork {
  static constexpr unsigned kCaps = 33;
  static constexpr double kWordCost = 0.125;  // a bitmap word bottom-up, relative to an entry there

  double top_down_cost = 1;  // of an entry, relative to one bottom-up
  double vertices = 0;
  double edges = 0;                // that enter a vertex
  double enterable = 0;            // vertices that an edge enters
  double capped_rows[kCaps] = {};  // [k] sum of min(in-degree, 2^k) over all vertices

  ExpectedWork() = default;
  // `incoming`: the in-degrees of all vertices.
  ExpectedWork(const RowLengths& incoming, double cost)
      : top_down_cost(cost),
        vertices(static_cast<double>(
            std::accumulate(incoming.rows.begin(), incoming.rows.end(), std::uint64_t{0}))),
        edges(static_cast<double>(
            std::accumulate(incoming.entries.begin(), incoming.entries.end(), std::uint64_t{0}))),
        enterable(vertices - static_cast<double>(incoming.rows[0])) {
    // The count and the sum give every capped sum.
    for (unsigned k = 0; k < kCaps; ++k) {
      for (unsigned bits = 1; bits < incoming.rows.size(); ++bits) {
        capped_rows[k] +=
            bits <= k ? static_cast<double>(incoming.entries[bits])
                      : std::ldexp(static_cast<double>(incoming.rows[bits]), static_cast<int>(k));
      }
    }
  }

  // Returns whether the next level is expected to be cheaper bottom-up.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool bottom_up(const DirectionState& at) const {
    const double frontier_edges = static_cast<double>(at.edges);
    const double met =
        at.edges_per_search > 0 ? static_cast<double>(at.edges_per_search) : frontier_edges;
    const double row = edges / (met > 1 ? met : 1);  // entries until the frontier is met
    unsigned k = 0;                                  // 2^k is the largest power up to `row`
    for (double power = 2; k + 1 < kCaps && power <= row; power *= 2) ++k;
    const double rows = enterable > 1 ? enterable : 1;
    const double checks = static_cast<double>(at.candidates) * capped_rows[k] / rows;
    return checks + kWordCost * vertices / 64 < top_down_cost * frontier_edges;
  }
};

}  // namespace bfslab
