// SPDX-License-Identifier: Apache-2.0
// Runs one process of a program that nobody here has written, and brings back what it said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bfslab {

struct ChildCommand {
  std::vector<std::string> words;        // the program's file, then its arguments
  std::vector<std::string> environment;  // "NAME=value", in place of this process's own
  std::string folder;                    // where it runs
  std::uint64_t most_output = 0;         // bytes on each of its two streams
  std::uint64_t most_file = 0;           // bytes of each file that it writes
};

struct ChildEnd {
  double wall_ms = 0;  // from just before it is started to its end
  std::string output;
  std::string error;
};

// Waits for it. Afterwards no process that it started is left. Throws std::runtime_error, with the
// last words of the program, unless it ended with exit code 0 and wrote no more than it may.
ChildEnd run_child(const ChildCommand& command);

}  // namespace bfslab
