// SPDX-License-Identifier: Apache-2.0
// The table of an experiment's results that `bfslab run` prints at its end.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/analyse/summary.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Reads the experiment in `folder`, its cells in the spec's order of graphs and configurations.
Experiment read_in_order(const Spec& spec, const std::string& folder);

// Returns the table for a terminal, or in Markdown, as a section of a page. `before_row`: see
// summarise().
std::string run_table(const Spec& spec, const Experiment& experiment, bool markdown,
                      const std::function<void()>& before_row);

nlohmann::ordered_json run_table_json(const Spec& spec, const Experiment& experiment,
                                      const std::function<void()>& before_row);

}  // namespace bfslab
