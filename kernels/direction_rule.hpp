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

#include <cstdint>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/expected_work.hpp"
#include "kernels/toggle.hpp"

namespace bfslab {

// Returns the lengths of the rows of all vertices.
RowLengths row_lengths(const CsrGraph& graph, int threads);

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
  [[nodiscard]] std::uint64_t enterable() const {
    return static_cast<std::uint64_t>(work_.enterable);
  }
  [[nodiscard]] std::uint64_t edges() const { return static_cast<std::uint64_t>(work_.edges); }
  // Returns whether bottom-up levels must count the out-degrees of their finds.
  [[nodiscard]] bool needs_edges() const { return rule_ == Rule::edge_ratio; }
  [[nodiscard]] bool bottom_up(bool is_bottom_up, const DirectionState& at) const;

 private:
  enum class Rule { work, vertices, beamer, edge_ratio };
  Rule rule_;
  double threshold_, alpha_, beta_, ratio_;
  ExpectedWork work_;
  bool has_incoming_ = false;
};

}  // namespace bfslab
