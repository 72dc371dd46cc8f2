#include "kernels/direction_rule.hpp"

#include <algorithm>
#include <string>

namespace bfslab {

namespace {

// What one adjacency entry costs in either direction, in ns a core, and a bitmap's word in
// bottom-up; only the ratios matter.
constexpr double kTopDownCost = 10;
constexpr double kBottomUpCost = 4;
constexpr double kWordCost = 0.5;

std::vector<LegalWith> only_with(const std::string& rule) {
  return {{"rule", {rule}, "only the rule '" + rule + "' reads it"}};
}

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

DirectionRule::DirectionRule(const Toggles& toggles)
    : threshold_(toggles.real("threshold")),
      alpha_(toggles.real("alpha")),
      beta_(toggles.real("beta")),
      ratio_(toggles.real("ratio")) {
  const std::string& rule = toggles.choice("rule");
  rule_ = rule == "vertices"     ? Rule::vertices
          : rule == "beamer"     ? Rule::beamer
          : rule == "edge_ratio" ? Rule::edge_ratio
                                 : Rule::work;
}

void DirectionRule::set_graph(std::uint64_t vertices, std::uint64_t edges,
                              std::uint64_t enterable) {
  vertices_ = static_cast<double>(vertices);
  edges_ = static_cast<double>(edges);
  mean_degree_ = edges_ / static_cast<double>(std::max<std::uint64_t>(enterable, 1));
}

bool DirectionRule::bottom_up(bool is_bottom_up, const DirectionState& at) const {
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
  // What bottom-up found was not counted; it comes late and has low degrees.
  const double frontier_edges = is_bottom_up ? frontier * mean_degree_ / 4 : edges;
  const double checks = static_cast<double>(at.candidates) *
                        std::min(mean_degree_, edges_ / std::max(frontier_edges, 1.0));
  return kBottomUpCost * checks + kWordCost * vertices_ / 64 < kTopDownCost * frontier_edges;
}

}  // namespace bfslab
