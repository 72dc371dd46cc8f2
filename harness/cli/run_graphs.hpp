// SPDX-License-Identifier: Apache-2.0
// The graphs of a run, before any worker starts: which files are missing, and which can be fetched.
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

using Plans = std::vector<std::vector<TrialGroup>>;  // one a spec

// Throws InputError, with everything that is missing, when a file that the plans need by its path
// does not exist. A missing file that could be fetched is not refused on its own.
void require_files(const std::vector<Spec>& specs, const Plans& plans,
                   const std::vector<std::string>& folders);

// Fetches what the plans need and no folder has into the last of the folders. Returns the graphs
// that are unavailable, by canonical name, with the reason. Throws Interrupted; what was downloaded
// until then is kept.
std::map<std::string, std::string> fetch_graphs(const std::vector<Spec>& specs, const Plans& plans,
                                                const std::vector<std::string>& folders,
                                                const FetchArguments& arguments,
                                                const Interrupts& interrupts, Progress& progress,
                                                bool quiet);

}  // namespace bfslab
