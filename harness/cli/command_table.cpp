// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "kernels/engine.hpp"

namespace bfslab {

namespace {

// Returns the names in "{table,markdown}", the form in which CLI11 writes the type of a choice.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream listed(type.substr(open + 1, close - open - 1));
  for (std::string choice; std::getline(listed, choice, ',');) choices.push_back(choice);
  return choices;
}

// Returns what the value of an option or a positional argument is, by the names that all commands
// give it.
Completion completion_of(const std::string& name, const std::string& type,
                         const std::string& command) {
  if (name == "GRAPH" || name == "--graph" || command == "list graphs") return Completion::graphs;
  if (command == "graph fetch" && name == "NAME") return Completion::graphs;
  if (name == "SPEC" || name == "specs") return Completion::specs;
  if (type.find("DIR") != std::string::npos) return Completion::folders;
  if (name != "--set") return Completion::files;
  const bool of_a_spec = command == "run" || command == "check" || command == "profile";
  return of_a_spec ? Completion::keys : Completion::toggles;
}

CommandOption described(const CLI::Option& option, const std::string& command) {
  CommandOption out;
  out.positional = option.get_positional() && !option.nonpositional();
  if (out.positional) {
    out.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  }
  const bool takes_value = option.get_items_expected_max() > 0;
  if (takes_value) out.value = option.get_type_name();
  out.choices = choices_of(out.value);
  const std::string& name = out.names.front();
  const bool any = name == "name" && command == "list engines";
  if (any || name == "--engine") {
    for (const EngineInfo* engine : engines()) {
      if (any || !engine->counts()) out.choices.push_back(engine->name);
    }
  }
  out.completion = completion_of(name, out.value, command);
  out.doc = option.get_description();
  out.required = option.get_required();
  out.repeatable = option.get_items_expected_max() > 1;
  return out;
}

void add_commands(const CLI::App& app, const std::string& path, std::vector<Command>& table) {
  const std::size_t at = table.size();
  table.push_back({path, app.get_description(), app.get_footer(), {}, {}});
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) table[at].options.push_back(described(*option, path));
  }
  std::vector<CommandOption>& options = table[at].options;
  std::stable_partition(options.begin(), options.end(),
                        [](const CommandOption& option) { return option.positional; });
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty() || sub->get_name().empty()) continue;  // hidden
    table[at].subcommands.push_back(sub->get_name());
    add_commands(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), table);
  }
}

}  // namespace

std::vector<Command> command_table(const CLI::App& app) {
  std::vector<Command> table;
  add_commands(app, "", table);
  return table;
}

}  // namespace bfslab
