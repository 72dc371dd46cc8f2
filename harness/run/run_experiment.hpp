// SPDX-License-Identifier: Apache-2.0
// Runs one experiment, from its spec to a folder of rows.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"
#include "harness/run/interrupts.hpp"
#include "harness/run/launcher.hpp"
#include "harness/run/plan.hpp"
#include "harness/run/progress.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

struct RunOptions {
  std::string results;  // the folder that holds one folder per experiment
  bool fresh = false;
  bool wait_for_idle = false;  // until no one else uses the GPUs
  double sync_interval_s = 0;  // seconds until a row is on the disk
  std::set<Status> retry;      // failures that are run again
  std::vector<std::string> data_folders;
  std::string cache_folder;
  std::vector<std::string> arguments;              // the command line
  std::map<std::string, std::string> unavailable;  // canonical name of a graph -> the reason
  Launcher launcher{Launcher::kDefault};           // starts workers of several ranks
};

struct ExperimentOutcome {
  std::string path;         // <results>/<experiment>
  bool wrong = false;       // an engine gave a wrong answer: exit code 1
  bool no_sources = false;  // a graph had no vertex to start from: exit code 2
  bool bad_input = false;   // a graph could not be loaded: exit code 2
  // A worker died while it loaded a graph, or trials were ended from outside: exit code 1.
  bool incomplete = false;
};

// Runs the trials of `plan`, which was made of this spec. Throws what ResultsDirectory and
// GraphSweep throw.
ExperimentOutcome run_experiment(const Spec& spec, const std::vector<TrialGroup>& plan,
                                 const RunOptions& options, const Interrupts& interrupts,
                                 Progress& progress);

}  // namespace bfslab
