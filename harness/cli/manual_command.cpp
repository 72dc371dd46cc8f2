// SPDX-License-Identifier: Apache-2.0
// bfslab manual: prints the manual page bfslab(1), made from the tables of commands.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/command_table.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/conventions.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/record/build_info.hpp"

namespace bfslab {

namespace {

// Returns the text as man(7) prints it: none of its characters is a request or an escape.
std::string escaped(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    if (!out.empty()) out += '\n';
    if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
    for (const char c : line) {
      if (c == '\\') {
        out += "\\e";
      } else if (c == '-') {
        out += "\\-";
      } else {
        out += c;
      }
    }
  }
  return out;
}

std::string option_entry(const CommandOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  }
  if (!option.positional && !option.value.empty()) {
    names += fmt::format(" \\fI{}\\fR", escaped(option.value));
  }
  return fmt::format(".TP\n{}\n{}\n", names, escaped(option.doc));
}

std::string entries_of(std::span<const Convention> conventions) {
  std::string out;
  for (const Convention& each : conventions) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(each.name), escaped(each.doc));
  }
  return out;
}

std::string synopsis(const Command& command) {
  std::string line = ".B bfslab";
  if (!command.path.empty()) line += " " + escaped(command.path);
  line += "\n";
  if (!command.subcommands.empty()) return line + ".I COMMAND\n";
  for (const CommandOption& option : command.options) {
    if (!option.positional) continue;
    const std::string name = escaped(option.names.front()) + (option.repeatable ? "..." : "");
    line += option.required ? fmt::format(".I {}\n", name) : fmt::format("[\\fI{}\\fR]\n", name);
  }
  return line + "[\\fIOPTION\\fR]...\n";
}

std::string manual(const std::vector<Command>& table) {
  std::string page = fmt::format(
      ".TH BFSLAB 1 \"\" \"bfslab {}\" \"User Commands\"\n.SH NAME\nbfslab \\- a laboratory for "
      "breadth\\-first search\n.SH SYNOPSIS\n",
      escaped(std::string(build_info().version)));
  for (const Command& command : table) {
    if (command.subcommands.empty()) page += synopsis(command) + ".br\n";
  }
  page +=
      fmt::format(".SH DESCRIPTION\n.nf\n{}\n.fi\n.SH COMMANDS\n", escaped(table.front().footer));
  for (const Command& command : table) {
    if (command.path.empty()) continue;
    page += fmt::format(".SS bfslab {}\n{}.PP\n{}\n", escaped(command.path), synopsis(command),
                        escaped(command.doc));
    for (const CommandOption& option : command.options) page += option_entry(option);
    if (!command.footer.empty())
      page += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer));
  }
  page += ".SH EXIT STATUS\n" + entries_of(exit_codes()) + ".PP\nFor single commands:\n" +
          entries_of(exit_codes_by_command());
  page += ".SH ENVIRONMENT\n" + entries_of(environment_variables());
  page += ".SH FILES\n" + entries_of(files_of_commands());
  return page +
         ".SH SEE ALSO\nEngines with their switches, and the columns of rows: \\fBbfslab list "
         "engines\\fR, \\fBbfslab list columns\\fR.\n";
}

}  // namespace

void add_manual_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("manual", "The manual page, as man(1) reads it");
  command->footer("Example:\n  bfslab manual > bfslab.1 && man ./bfslab.1");
  command->callback([&app] { fmt::print("{}", manual(command_table(app))); });
}

}  // namespace bfslab
