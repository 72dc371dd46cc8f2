// SPDX-License-Identifier: Apache-2.0
// The commands of `bfslab profile`: a profiler, its options, and `bfslab run` under it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/profile_arguments.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

using Words = std::vector<std::string>;

// The files of a profile: in the folder of results, beside the folder of the experiment's rows.
struct ProfileFiles {
  ProfileFiles(const ProfileArguments& arguments, const Spec& spec);

  std::filesystem::path folder;  // the rows
  std::string report;            // for ncu-ui, nsys-ui or `perf report`; nsys adds an ending
  std::string log;               // of ncu
  std::string counters;          // of ncu, as CSV
};

// Returns the commands, in their order. `tool`: the profiler's file. `on_gpu`: some case runs on a
// GPU.
std::vector<Words> profile_commands(const ProfileArguments& arguments, const Spec& spec,
                                    const ProfileFiles& files, const std::string& tool,
                                    bool on_gpu);

// Returns the command as a line for a shell.
std::string shell_line(const Words& words);

}  // namespace bfslab
