// SPDX-License-Identifier: Apache-2.0
// Which techniques of an ablation pay on a graph, by how much, and which of them help each other
// (docs/ablate.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyse/results.hpp"
#include "harness/spec/ablation.hpp"

namespace bfslab {

enum class Worth { pays, costs, same, undecided };
const char* to_text(Worth worth);

enum class Interaction { help, hurt, independent, undecided };
const char* to_text(Interaction interaction);

// A technique on a graph.
struct TechniqueGain {
  const Technique* technique = nullptr;
  // (time without it) / (time with it), its interval corrected for all techniques of the graph;
  // none if a search of either case failed or is missing.
  std::optional<IntervalEstimate> gain;
  bool disturbed = false;  // a case has only polluted trials: nothing is decided
  Worth worth = Worth::undecided;
};

// Two techniques on a graph.
struct PairGain {
  const TechniquePair* pair = nullptr;
  // How many times as much one gains beside the other as without it; corrected for all pairs.
  std::optional<IntervalEstimate> ratio;
  bool disturbed = false;
  Interaction interaction = Interaction::undecided;
};

struct GraphAblation {
  std::string graph;
  std::string stand_in_for;
  std::vector<TechniqueGain> techniques;  // by falling gain; those without one come last
  std::vector<PairGain>
      pairs;  // those that help or hurt first, by falling distance of the ratio from 1
  std::size_t compared = 0;  // number of techniques with an interval
  std::size_t compared_pairs = 0;
};

// `pays`: the whole interval is above 1; `costs`: below. `same`: it has 1 and lies within 2 % of
// it.
Worth worth_of(const IntervalEstimate& gain);

// Evaluates an ablation on each graph of an experiment, in the order of its cells. `before_row` is
// called before each number and may throw to end the work.
std::vector<GraphAblation> evaluate(const Ablation& ablation, const Experiment& experiment,
                                    const std::function<void()>& before_row);

}  // namespace bfslab
