// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/text/spelling.hpp"

namespace bfslab {

namespace {

// Those that help shows.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

const CLI::App* find(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const CLI::App* each) { return each->get_name() == name; });
  return found == commands.end() ? nullptr : *found;
}

// "bfslab graph info".
std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + ' ') + app.get_name();
}

std::string no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* each : commands_of(app)) names.push_back(each->get_name());
  return fmt::format("{}: no command is called \"{}\"; there are {}{}", full_name(app), word,
                     fmt::join(names, ", "), did_you_mean(word, names));
}

}  // namespace

std::string unknown_word(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      if (at->get_option_no_throw(name) != nullptr) continue;
      std::vector<std::string> names;
      for (const CLI::Option* each : at->get_options()) {
        for (const std::string& known : each->get_lnames()) names.push_back("--" + known);
      }
      return fmt::format("{0}: no option is called \"{1}\"{2} ({0} --help lists them)",
                         full_name(*at), name, did_you_mean(name, names));
    }
    if (word.starts_with('-') || commands_of(*at).empty()) continue;
    const CLI::App* const next = find(*at, word);
    if (next == nullptr) return no_command(*at, word);
    at = next;
  }
  return {};
}

std::string help_text(const CLI::App& app, const std::string& words) {
  const CLI::App* at = &app;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const CLI::App* const next = find(*at, word);
    if (next == nullptr) throw InputError(no_command(*at, word));
    at = next;
  }
  // App::help would give that of the command that was parsed: of `help`.
  return at->get_formatter()->make_help(at, full_name(*at), CLI::AppFormatMode::Normal);
}

}  // namespace bfslab
