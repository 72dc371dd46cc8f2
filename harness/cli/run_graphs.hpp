// SPDX-License-Identifier: Apache-2.0
// The graphs of a run, before any worker starts: finds missing files, and fetches them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/cli/fetch_missing.hpp"
#include "harness/run/interrupts.hpp"
#include "harness/run/plan.hpp"
#include "harness/run/progress.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

using Plans = std::vector<std::vector<TrialGroup>>;  // one per spec

// Throws InputError, with everything that is missing, if a file that the plans need by its path
// does not exist. Missing files that could be fetched alone are no error.
void require_files(const std::vector<Spec>& specs, const Plans& plans,
                   const std::vector<std::string>& folders);

// Fetches the graphs that the plans need and no folder has, into the last of the folders. Returns
// the unavailable graphs, as canonical name and reason. Throws Interrupted; complete downloads are
// then kept.
std::map<std::string, std::string> fetch_graphs(const std::vector<Spec>& specs, const Plans& plans,
                                                const std::vector<std::string>& folders,
                                                const FetchArguments& arguments,
                                                const Interrupts& interrupts, Progress& progress,
                                                bool quiet);

}  // namespace bfslab
