// SPDX-License-Identifier: Apache-2.0
// The table in which `bfslab run` ends, of one experiment.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/analyse/summary.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// The experiment in `folder`, its cells in the spec's order of graphs and configurations.
Experiment read_in_order(const Spec& spec, const std::string& folder);

// For a terminal; or, as a section of a page, in Markdown. `before_row`: see summarise().
std::string run_table(const Spec& spec, const Experiment& experiment, bool markdown,
                      const std::function<void()>& before_row);

nlohmann::ordered_json run_table_json(const Spec& spec, const Experiment& experiment,
                                      const std::function<void()>& before_row);

}  // namespace bfslab
