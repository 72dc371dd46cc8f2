// SPDX-License-Identifier: Apache-2.0
// Makes the JSON of `bfslab check --json`. docs/scripts.md describes the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/spec_needs.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns a checked spec: its graphs, configurations, trials and needs. `stand_ins`: the messages
// about graphs that generated ones replace.
nlohmann::ordered_json check_json(const Spec& spec, const SpecNeeds& needs,
                                  const std::vector<std::string>& stand_ins);

}  // namespace bfslab
