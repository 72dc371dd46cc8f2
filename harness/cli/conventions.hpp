// SPDX-License-Identifier: Apache-2.0
// Tables of exit codes, environment variables and files, which all commands have in common. The
// manual page prints them, and docs/scripts.md repeats them, which a test compares.
#pragma once

#include <span>

namespace bfslab {

struct Convention {
  const char* name;  // "2", "BFSLAB_CACHE", "RESULTS/EXPERIMENT/runs.csv"
  const char* doc;   // sentences
};

// The meaning of each exit code, the same for all commands.
std::span<const Convention> exit_codes();

// The further meanings of 1 and 2 for single commands.
std::span<const Convention> exit_codes_by_command();

// The environment variables that commands read.
std::span<const Convention> environment_variables();

// The files and folders that commands read or write unless options name others.
std::span<const Convention> files_of_commands();

}  // namespace bfslab
