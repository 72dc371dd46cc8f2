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
  static constexpr std::uint64_t kAllDown = ~std::uint64_t{0};

  double top_down_cost = 1;  // of an entry, relative to one bottom-up
  // Costs of searches that run together, in entries bottom-up: those of a top-down level beyond its
  // edges and the passes that bottom-up takes too, and those of splitting a level.
  double down = 0;
  double split = 0;
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

  // Returns the entries that bottom-up is expected to look at. Each candidate looks along its row
  // until the row ends or a frontier with `met` edges is met.
  [[nodiscard]] BFSLAB_HOST_DEVICE double looks(const DirectionState& at, double met) const {
    const double row = edges / (met > 1 ? met : 1);  // entries until the frontier is met
    unsigned k = 0;                                  // 2^k is the largest power up to `row`
    for (double power = 2; k + 1 < kCaps && power <= row; power *= 2) ++k;
    const double rows = enterable > 1 ? enterable : 1;
    return static_cast<double>(at.candidates) * capped_rows[k] / rows;
  }

  // Returns whether the next level is expected to be cheaper bottom-up.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool bottom_up(const DirectionState& at) const {
    const double frontier_edges = static_cast<double>(at.edges);
    const double met =
        at.edges_per_search > 0 ? static_cast<double>(at.edges_per_search) : frontier_edges;
    return looks(at, met) + kWordCost * vertices / 64 < top_down_cost * frontier_edges;
  }

  // Returns the expected cost of the next level of searches that run together, if those with fewer
  // than `limit` edges go top-down and the others bottom-up. At 0, all go bottom-up; at kAllDown,
  // all go top-down. Search s of `count` has a frontier of of[s] edges, 0 if it has ended, and
  // alone it would look at up[s] entries bottom-up. Searches that go bottom-up share their looks,
  // so that the longest of them counts. Example: with frontiers of 10 and 1000 edges and the limit
  // 64, the level costs 10 edges top-down, a split, and the looks of the second search.
  [[nodiscard]] BFSLAB_HOST_DEVICE double together(const DirectionState& at,
                                                   const std::uint64_t* of, const double* up,
                                                   unsigned count, std::uint64_t limit) const {
    std::uint64_t below = 0;
    double most = -1;  // looks of those that go bottom-up
    for (unsigned s = 0; s < count; ++s) {
      if (of[s] < limit) {
        below += of[s];
      } else if (of[s] != 0 && up[s] > most) {
        most = up[s];
      }
    }
    if (most < 0) return top_down_cost * static_cast<double>(at.edges) + down;
    if (below == 0) return most;
    return most + top_down_cost * static_cast<double>(below) + split;
  }
};

}  // namespace bfslab
