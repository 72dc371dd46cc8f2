// SPDX-License-Identifier: Apache-2.0
// Runs one process of an external program, and returns its output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bfslab {

struct ChildCommand {
  std::vector<std::string> words;        // the program's file, then its arguments
  std::vector<std::string> environment;  // "NAME=value"; replaces this process's environment
  std::string folder;                    // its working directory
  std::uint64_t max_output = 0;          // bytes on each of its two streams
  std::uint64_t max_file = 0;            // bytes of each file that it writes
};

struct ChildEnd {
  double wall_ms = 0;  // from just before its start to its end
  std::string output;
  std::string error;
};

// Runs the program and waits for its end. Afterwards no process that it started is left. Throws
// std::runtime_error, with the last lines of its output, unless it ended with exit code 0 and
// within its limits.
ChildEnd run_child(const ChildCommand& command);

}  // namespace bfslab
