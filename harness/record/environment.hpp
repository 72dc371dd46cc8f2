// SPDX-License-Identifier: Apache-2.0
// environment.json: the machine, the program and the command that produced a folder of rows.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

struct RunIdentity {
  std::string spec_file;
  std::string spec_hash;
  std::string build_hash;
  std::vector<std::string> arguments;  // the command line as it was given
  std::string launcher = {};           // of several ranks: its template; empty where none is needed
};

// The words with which this program was started.
std::vector<std::string> command_line();

// Pretty-printed JSON. What a machine does not report is null, never guessed.
std::string describe_environment(const RunIdentity& identity);

// `environment` with one more entry in its "resumed" list: when, by which command, on which host,
// and in which environment, as `current` describes it.
std::string add_resumption(const std::string& environment, const std::string& current,
                           const RunIdentity& identity);

// Eight hexadecimal digits of what decides how fast trials run: the processors that may be used,
// their model, governor and highest clock, the GPUs by their UUIDs with the limits of their clocks,
// limits of the container, OpenMP's settings, the compiler.
std::string environment_id(const std::string& environment);

// Rows of two descriptions may share a folder where these agree: processor, how many of them may be
// used, their governor and highest clock, memory to within 1 %, the first GPU and the limits of its
// clocks, limits of the container, OpenMP's settings. (Not the host name: containers change theirs
// at every start; nor which processors and GPUs of one kind they are, which environment_id tells
// apart.) An empty string, or what differs.
std::string machine_difference(const std::string& recorded, const std::string& current);

std::string host_name();

}  // namespace bfslab
