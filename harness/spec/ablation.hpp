// SPDX-License-Identifier: Apache-2.0
// Takes an engine's techniques apart: which cases an ablation measures and which of them it
// compares, from the engine's table of toggles alone.
//
// Everything on is a base with all its flags on. Around it each flag is off, each choice (and each
// integer of at most eight values) has each of its values, and on request two of these changes
// are made together. Around nothing on, the base with all its flags off, each flag is on. What the
// toggles' rules refuse is left out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/spec/json_value.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

struct AblationCase {
  std::string name;
  Json settings;  // over the base
};

// The gain of a technique is (time of the case `without`) / (time of the case `with`).
struct Technique {
  std::string name;   // "async", "queue=shuffled"
  std::string among;  // the case that it is taken from or added to: "all", "none"
  std::string without;
  std::string with;
};

// A pair of techniques, and the four cases that use both, only the first, only the second, and
// neither. The two help each other if time(first) * time(second) / (time(both) * time(neither)) is
// above 1.
struct TechniquePair {
  std::string first_name;
  std::string second_name;
  std::string both;
  std::string first;
  std::string second;
  std::string neither;
};

struct Ablation {
  Json base;
  std::vector<AblationCase> cases;  // the first is everything on
  std::vector<Technique> techniques;
  std::vector<TechniquePair> pairs;
  std::vector<std::string>
      left_out;  // "none, cluster=true: cluster = true with small = false: ..."
  std::vector<std::string> not_varied;  // toggles that are numbers, or that the base sets
};

// `base`: {"engine": ..., "preset": ..., KEY: VALUE}, which a spec would take as its base. The keys
// that it sets stay as they are.
Ablation ablation_of(const EngineInfo& engine, const Json& base, bool pairs);

}  // namespace bfslab
