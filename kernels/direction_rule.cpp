// SPDX-License-Identifier: Apache-2.0
#include "kernels/direction_rule.hpp"

#include <cmath>
#include <numeric>
#include <string>

namespace bfslab {

namespace {

constexpr double kWordCost = 0.125;  // a bitmap word bottom-up, relative to an entry bottom-up

std::vector<LegalWith> only_with(const std::string& rule) {
  return {{"rule", {rule}, "only the rule '" + rule + "' reads it"}};
}

#pragma omp declare reduction(add:RowLengths : omp_out += omp_in)

}  // namespace

std::vector<Toggle> DirectionRule::toggles() {
  return {
      Toggle::choice("rule", "work", {"work", "vertices", "beamer", "edge_ratio"},
                     "What decides a level's direction", "cs406 4.1.6, xbfs 4.3"),
      Toggle::real("threshold", 0.05, 0, 1,
                   "Bottom-up when the frontier has this share of all vertices", "cs406 4.1.6",
                   only_with("vertices")),
      Toggle::real("alpha", 15, 0.001, 1e9,
                   "Bottom-up when the frontier's edges exceed unexplored edges / alpha",
                   "cs406 4.1.6", only_with("beamer")),
      Toggle::real("beta", 18, 0.001, 1e9,
                   "Top-down again when a shrinking frontier is below n / beta vertices",
                   "cs406 4.1.6", only_with("beamer")),
      Toggle::real("ratio", 0.1, 0, 1,
                   "Bottom-up while the frontier's edges are this share of all edges", "xbfs 4.3",
                   only_with("edge_ratio")),
  };
}

DirectionRule::DirectionRule(const Toggles& toggles, double top_down_cost)
    : threshold_(toggles.real("threshold")),
      alpha_(toggles.real("alpha")),
      beta_(toggles.real("beta")),
      ratio_(toggles.real("ratio")),
      top_down_cost_(top_down_cost) {
  const std::string_view rule = toggles.choice("rule");
  rule_ = rule == "vertices"     ? Rule::vertices
          : rule == "beamer"     ? Rule::beamer
          : rule == "edge_ratio" ? Rule::edge_ratio
                                 : Rule::work;
}

void DirectionRule::set_graph(const CsrGraph& graph, int threads, std::uint64_t left_out) {
  const vertex_t n = graph.vertex_count();
  const CsrGraph* incoming = graph.incoming();
  if (incoming == nullptr) {
    vertices_ = n;
    edges_ = static_cast<double>(graph.edge_count());
    enterable_ = n;
    return;
  }
  RowLengths lengths;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(add : lengths)
  for (vertex_t v = 0; v < n; ++v) lengths.add(incoming->degree(v));
  lengths.rows[1] -= left_out;
  lengths.entries[1] -= left_out;
  set_graph(lengths);
}

void DirectionRule::set_graph(const RowLengths& incoming) {
  const auto& [rows, entries] = incoming;
  const std::uint64_t vertices = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
  const std::uint64_t edges = std::accumulate(entries.begin(), entries.end(), std::uint64_t{0});
  vertices_ = static_cast<double>(vertices);
  edges_ = static_cast<double>(edges);
  has_incoming_ = true;
  enterable_ = vertices - rows[0];
  // The count and the sum give every capped sum.
  for (std::size_t k = 0; k < capped_rows_.size(); ++k) {
    double sum = 0;
    for (std::size_t bits = 1; bits < rows.size(); ++bits) {
      sum += bits <= k ? static_cast<double>(entries[bits])
                       : static_cast<double>(rows[bits]) * std::ldexp(1.0, static_cast<int>(k));
    }
    capped_rows_[k] = sum;
  }
}

bool DirectionRule::bottom_up(bool is_bottom_up, const DirectionState& at) const {
  if (!has_incoming_) return false;
  const auto frontier = static_cast<double>(at.frontier);
  const auto edges = static_cast<double>(at.edges);
  switch (rule_) {
    case Rule::vertices:
      return frontier >= threshold_ * vertices_;
    case Rule::edge_ratio:
      return edges >= ratio_ * edges_;
    case Rule::beamer:
      if (is_bottom_up) return at.frontier >= at.previous || frontier > vertices_ / beta_;
      return edges > static_cast<double>(at.unexplored) / alpha_;
    case Rule::work:
      break;
  }
  const auto rows = static_cast<double>(std::max<std::uint64_t>(enterable_, 1));
  const auto met = at.edges_per_search > 0 ? static_cast<double>(at.edges_per_search) : edges;
  const double row = edges_ / std::max(met, 1.0);  // entries until the frontier is met
  const auto k = static_cast<std::size_t>(std::clamp(std::log2(row), 0.0, 32.0));
  const double checks = static_cast<double>(at.candidates) * capped_rows_[k] / rows;
  return checks + kWordCost * vertices_ / 64 < top_down_cost_ * edges;
}

}  // namespace bfslab
