// SPDX-License-Identifier: Apache-2.0
#include "kernels/direction_rule.hpp"

#include <string>

namespace bfslab {

namespace {

std::vector<LegalWith> only_with(const std::string& rule) {
  return {{"rule", {rule}, "only the rule '" + rule + "' reads it"}};
}

#pragma omp declare reduction(add:RowLengths : omp_out += omp_in)

}  // namespace

RowLengths row_lengths(const CsrGraph& graph, int threads) {
  const vertex_t n = graph.vertex_count();
  RowLengths lengths;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(add : lengths)
  for (vertex_t v = 0; v < n; ++v) lengths.add(graph.degree(v));
  return lengths;
}

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
      ratio_(toggles.real("ratio")) {
  work_.top_down_cost = top_down_cost;
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
    work_.vertices = work_.enterable = n;
    work_.edges = static_cast<double>(graph.edge_count());
    return;
  }
  RowLengths lengths = row_lengths(*incoming, threads);
  lengths.rows[1] -= left_out;
  lengths.entries[1] -= left_out;
  set_graph(lengths);
}

void DirectionRule::set_graph(const RowLengths& incoming) {
  work_ = ExpectedWork(incoming, work_.top_down_cost);
  has_incoming_ = true;
}

bool DirectionRule::bottom_up(bool is_bottom_up, const DirectionState& at) const {
  if (!has_incoming_) return false;
  const auto frontier = static_cast<double>(at.frontier);
  const auto edges = static_cast<double>(at.edges);
  switch (rule_) {
    case Rule::vertices:
      return frontier >= threshold_ * work_.vertices;
    case Rule::edge_ratio:
      return edges >= ratio_ * work_.edges;
    case Rule::beamer:
      if (is_bottom_up) return at.frontier >= at.previous || frontier > work_.vertices / beta_;
      return edges > static_cast<double>(at.unexplored) / alpha_;
    case Rule::work:
      break;
  }
  return work_.bottom_up(at);
}

}  // namespace bfslab
