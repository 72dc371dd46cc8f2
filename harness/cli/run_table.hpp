// SPDX-License-Identifier: Apache-2.0
// The table of an experiment's results that `bfslab run` and `bfslab bench` print at their end.
#pragma once

#include <string>

#include "harness/cli/run_specs.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Reads the experiment in `folder`, its cells in the spec's order of graphs and configurations.
Experiment read_in_order(const Spec& spec, const std::string& folder);

// The table that `run` and `bench` print: times, rates, and ratios to the spec's baseline.
ResultTable results_table();

}  // namespace bfslab
