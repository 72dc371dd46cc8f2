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

// `environment` with one more entry in its "resumed" list: when, by which command, on which host.
std::string add_resumption(const std::string& environment, const RunIdentity& identity);

// Two descriptions are of the same machine when processor, core count, memory and first GPU agree.
// (Not the host name: containers change theirs at every start.) An empty string, or what differs.
std::string machine_difference(const std::string& recorded, const std::string& current);

std::string host_name();

}  // namespace bfslab
