// SPDX-License-Identifier: Apache-2.0
// Finds results that contradict each other: times of equal configurations that several experiments
// of one machine have measured, and the answers of all.
#pragma once

#include <string>
#include <vector>

#include "harness/analyse/results.hpp"

namespace bfslab {

// Two experiments of a machine that measured the same engine with different times.
struct Disagreement {
  std::string machine;
  std::string engine;
  const Experiment* a = nullptr;
  const Experiment* b = nullptr;
  std::size_t configurations = 0;  // graphs and toggles for which they differ
  double factor = 1;        // the worst one: how many times as long one side takes as the other
  std::string worst;        // in words
  std::string builds;       // those of the worst, if they differ: "0123456 and 89abcde"
  std::string environment;  // how the machine differed, by environment.json; or empty
  std::string known;        // why it is known; empty where it is not
};

// A disagreement with a known explanation: an object of known_disagreements.json.
struct KnownDisagreement {
  std::string machine;
  std::string engine;
  std::vector<std::string> experiments;  // glob patterns, which both names have to match
  double at_most = 1;                    // worse ones are not meant
  std::string reason;
  bool used = false;
};
// {"disagreements": [{"machine", "engine", "experiments", "at_most", "reason"}]}. Throws
// InputError.
std::vector<KnownDisagreement> parse_known(const std::string& text, const std::string& path);

struct SelfAgreement {
  std::size_t pairs = 0;  // number of pairs of cells that were compared
  std::vector<Disagreement> disagreements;
  std::vector<std::string> answers;  // that contradict each other, in words
};

// Clean trials only. Two cells are of one configuration where graph, engine, every toggle, answer,
// ranks and GPUs agree; they differ where the geometric mean of their times' ratio, over the
// sources that both have, is more than `limit_pct` away from 1. `known` is marked as used.
SelfAgreement examine(const std::vector<Experiment>& experiments, double limit_pct,
                      std::vector<KnownDisagreement>& known);

}  // namespace bfslab
