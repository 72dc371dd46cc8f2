// SPDX-License-Identifier: Apache-2.0
// Commands and options as data, read from CLI11's tables: what the manual and completion are made
// of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bfslab {

struct CommandOption {
  std::vector<std::string> names;  // "--data"; of a positional argument its one name, "GRAPH"
  std::string value;               // "DIR"; empty for a flag
  std::string doc;
  std::vector<std::string> choices;  // the legal values where they are names
  bool positional = false;
  bool required = false;
  bool repeatable = false;
};

struct Command {
  std::string path;  // "", "graph", "graph fetch"
  std::string doc;
  std::string footer;
  std::vector<std::string> subcommands;
  std::vector<CommandOption> options;  // positional ones first
};

// Every command that is shown in --help, the program itself first, each before its subcommands.
std::vector<Command> command_table(const CLI::App& app);

}  // namespace bfslab
