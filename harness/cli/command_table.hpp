// SPDX-License-Identifier: Apache-2.0
// Commands and options as data, read from CLI11's tables. The manual and completion are made of
// them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bfslab {

// The kind of words that a shell completes for a value that has no choices.
enum class Completion { files, folders, graphs, specs, toggles, keys };

struct CommandOption {
  std::vector<std::string> names;  // "--data"; a positional argument has one name, "GRAPH"
  std::string value;               // "DIR"; empty for a flag
  std::string doc;
  std::vector<std::string> choices;  // the legal values, if they are names
  Completion completion = Completion::files;
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

// Returns every command that --help shows, the program itself first, each before its subcommands.
std::vector<Command> command_table(const CLI::App& app);

}  // namespace bfslab
