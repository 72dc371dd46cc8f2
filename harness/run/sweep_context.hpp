// SPDX-License-Identifier: Apache-2.0
// SweepContext: the objects and settings that the sweeps of one experiment share.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/record/agreement.hpp"
#include "harness/record/results_directory.hpp"
#include "harness/run/interrupts.hpp"
#include "harness/run/launcher.hpp"
#include "harness/run/progress.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

struct SweepContext {
  const Spec& spec;
  ResultsDirectory& results;
  const Interrupts& interrupts;
  Progress& progress;
  std::vector<std::string> data_folders;
  std::string cache_folder;
  std::string build_hash;
  std::string commit;                              // the program's, as rows have it
  std::map<std::string, std::string> unavailable;  // canonical name of a graph -> the reason
  Launcher launcher;                               // starts workers of several ranks
  Agreement& agreement;                            // knows all rows in the folder of results
  std::set<std::string> unchanged_graphs = {};     // canonical names, checked by this run
};

// A trial or a worker that another process ended is retried at once, this many times.
inline constexpr unsigned kRetries = 2;

}  // namespace bfslab
