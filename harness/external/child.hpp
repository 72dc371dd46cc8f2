// SPDX-License-Identifier: Apache-2.0
// Processes of an external program: one per search, whose output is returned, or one that answers
// many searches.
#pragma once

#include <cstdint>
#include <memory>
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

// A line of a program, and the time from just before it was asked.
struct ChildAnswer {
  double wall_ms = 0;
  std::string line = {};  // without its end
};

// A program that answers each line on its standard input by one line on its standard output. It is
// ended with this object, as are all processes below it.
class AskedChild {
 public:
  // Starts the program. Throws std::runtime_error if it cannot be started.
  explicit AskedChild(const ChildCommand& command);
  ~AskedChild();
  // Throws std::runtime_error, with its last lines, if it ends without an answer, answers by more
  // than one line, or exceeds its limits. It answers nothing more then.
  ChildAnswer ask(const std::string& line);

 private:
  class Process;
  std::unique_ptr<Process> process_;
};

}  // namespace bfslab
