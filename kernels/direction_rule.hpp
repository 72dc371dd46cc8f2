// SPDX-License-Identifier: Apache-2.0
// The rules by which a direction-optimising engine goes bottom-up: the papers' rules and one of our
// own, as one set of toggles that any engine can offer.
//
//   vertices    the frontier has at least `threshold` of all vertices (cs406, section 4.1.6: 5 %)
//   beamer      to bottom-up: the frontier's edges exceed unexplored edges / alpha; back: when a
//               shrinking frontier has fewer than n / beta vertices (Beamer et al., SC 2012, which
//               is cs406's reference [3])
//   edge_ratio  the frontier's edges are at least `ratio` of all edges (XBFS, section 4.3, its
//               alpha = 0.1; edgeCheck, which the paper leaves open, is that of the coming level)
//   work        our own: the direction with the lower expected cost. Top-down reads the frontier's
//               edges. Bottom-up, every unvisited vertex reads its row until it ends or meets the
//               frontier, which with a share p of all edges takes about 1 / p entries; set-up sums
//               min(degree, 2^k) over the vertices, so that the expectation accounts for short
//               rows. Of searches that run together, each has to meet its own frontier. The finds
//               of a bottom-up level are not counted: they are expected to have the average
//               out-degree of the unvisited.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/toggle.hpp"

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

class DirectionRule {
 public:
  // rule, threshold, alpha, beta, ratio.
  static std::vector<Toggle> toggles();
  // `top_down_cost`: an entry top-down relative to one bottom-up, for the rule `work`.
  explicit DirectionRule(const Toggles& toggles, double top_down_cost = 1.25);

  // Reads the in-degrees; call it first. A directed graph without transpose never goes bottom-up.
  // `left_out`: vertices of in-degree 1 that no frontier gets.
  void set_graph(const CsrGraph& graph, int threads, std::uint64_t left_out = 0);
  // The same from the in-degrees of all vertices.
  void set_graph(const RowLengths& incoming);
  // Returns the vertices that some edge enters; all of them if in-edges are unknown.
  [[nodiscard]] std::uint64_t enterable() const { return enterable_; }
  [[nodiscard]] std::uint64_t edges() const { return static_cast<std::uint64_t>(edges_); }
  // Returns whether bottom-up levels must count the out-degrees of their finds.
  [[nodiscard]] bool needs_edges() const { return rule_ == Rule::edge_ratio; }
  [[nodiscard]] bool bottom_up(bool is_bottom_up, const DirectionState& at) const;

 private:
  enum class Rule { work, vertices, beamer, edge_ratio };
  Rule rule_;
  double threshold_, alpha_, beta_, ratio_, top_down_cost_;
  double vertices_ = 0, edges_ = 0;
  std::uint64_t enterable_ = 0;
  bool has_incoming_ = false;
  std::array<double, 33> capped_rows_{};  // [k] sum of min(in-degree, 2^k) over all vertices
};

}  // namespace bfslab
