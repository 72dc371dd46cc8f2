// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/text/spelling.hpp"

namespace bfslab {

namespace {

// Returns the commands that help shows.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

const CLI::App* find(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const CLI::App* each) { return each->get_name() == name; });
  return found == commands.end() ? nullptr : *found;
}

// Returns "bfslab graph info".
std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + ' ') + app.get_name();
}

// Returns the beginning of a message after "bfslab: ", as "graph info: "; empty for bfslab itself.
std::string beginning(const CLI::App& app) {
  if (app.get_parent() == nullptr) return {};
  return full_name(app).substr(std::string_view("bfslab ").size()) + ": ";
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : commands_of(app)) names.push_back(each->get_name());
  return names;
}

std::string no_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = names_of_commands(app);
  return fmt::format("{}no command is called \"{}\"; there are {}{}", beginning(app), word,
                     fmt::join(names, ", "), did_you_mean(word, names));
}

// Returns the last command of a command line.
const CLI::App& command_of(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    if (const CLI::App* const next = find(*at, argv[i]); next != nullptr) at = next;
  }
  return *at;
}

}  // namespace

void refuse_empty_values(CLI::App& app) {
  const auto complaint = [](const std::string& value) {
    return std::string(value.empty() ? "found an empty text; leave the option out, or give it a "
                                       "value"
                                     : "");
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(CLI::Validator(complaint, ""));
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*command);
  }
}

std::string unknown_word(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    const bool is_short =
        word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (is_short || word.starts_with("--")) {
      const std::string name = is_short ? word.substr(0, 2) : word.substr(0, word.find('='));
      if (at->get_option_no_throw(name) != nullptr) continue;
      std::vector<std::string> names;
      for (const CLI::Option* each : at->get_options()) {
        for (const std::string& known : each->get_lnames()) names.push_back("--" + known);
      }
      return fmt::format("{}no option is called \"{}\"{} ({} --help lists them)", beginning(*at),
                         name, did_you_mean(name, names), full_name(*at));
    }
    if (word.starts_with('-') || commands_of(*at).empty()) continue;
    const CLI::App* const next = find(*at, word);
    if (next == nullptr) return no_command(*at, word);
    at = next;
  }
  return {};
}

std::string what_is_wrong(const CLI::App& app, int argc, const char* const* argv,
                          const std::string& complaint) {
  const CLI::App& command = command_of(app, argc, argv);
  const std::vector<std::string> names = names_of_commands(command);
  if (!names.empty()) {
    return fmt::format("{}name a command: {} ({} --help)", beginning(command),
                       fmt::join(names, ", "), full_name(command));
  }
  return fmt::format("{}{} ({} --help)", beginning(command),
                     complaint.substr(0, complaint.find('\n')), full_name(command));
}

std::string help_text(const CLI::App& app, const std::string& words) {
  const CLI::App* at = &app;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const CLI::App* const next = find(*at, word);
    if (next == nullptr) throw InputError(no_command(*at, word));
    at = next;
  }
  // App::help() would give the text of the command that was parsed, `help`.
  return at->get_formatter()->make_help(at, full_name(*at), CLI::AppFormatMode::Normal);
}

}  // namespace bfslab
