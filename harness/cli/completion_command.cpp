// SPDX-License-Identifier: Apache-2.0
// bfslab completion bash|zsh|fish: prints a script for that shell, made from the tables of
// commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command_table.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/shell_words.hpp"

namespace bfslab {

namespace {

using CommandTable = std::vector<Command>;

// Quotes a text for fish, which reads backslashes within single quotes, too.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Returns the first sentence: shells show one line.
std::string brief(const std::string& doc) { return doc.substr(0, doc.find('\n')); }

bool is_folder(const CommandOption& option) {
  return option.value.find("DIR") != std::string::npos;
}

std::string shown_path(const Command& command) {
  return command.path.empty() ? "bfslab" : "bfslab " + command.path;
}

// Returns the lines by which bash and zsh find the command of a command line:
// `  "bfslab graph") case $word in fetch|info) at="$at $word" ;; esac ;;`.
std::string steps(const CommandTable& table) {
  std::string out;
  for (const Command& command : table) {
    if (command.subcommands.empty()) continue;
    out += fmt::format("      {}) case $word in {}) at=\"$at $word\" ;; esac ;;\n",
                       shell_quoted(shown_path(command)), fmt::join(command.subcommands, "|"));
  }
  return out;
}

// Returns the values of an option or a positional argument, as bash's compgen takes them.
std::string bash_values(const CommandOption& option) {
  if (!option.choices.empty()) {
    return "-W " + shell_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
  }
  return is_folder(option) ? "-d" : "-f";
}

std::string bash_script(const CommandTable& table) {
  std::string cases;
  for (const Command& command : table) {
    std::string options;
    std::string values;
    std::string words = "-W ''";
    for (const CommandOption& option : command.options) {
      if (option.positional) {
        words = bash_values(option);
        continue;
      }
      options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(option.names, " "));
      if (option.value.empty()) continue;
      values += fmt::format("        {}) wanted=({}) ;;\n", fmt::join(option.names, "|"),
                            bash_values(option));
    }
    if (!command.subcommands.empty()) {
      words = "-W " + shell_quoted(fmt::format("{}", fmt::join(command.subcommands, " ")));
    }
    cases += fmt::format(
        "    {})\n      options={}\n      wanted=({})\n      case $previous in\n{}      esac ;;\n",
        shell_quoted(shown_path(command)), shell_quoted(options), words, values);
  }
  return fmt::format(
      R"(# bash completion for bfslab, written by `bfslab completion bash`.
_bfslab() {{
  local at=bfslab word options='' wanted=() current=$2 previous=$3
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $at in
{}    esac
  done
  case $at in
{}  esac
  if [[ $current == -* ]]; then wanted=(-W "$options"); fi
  local IFS=$'\n'
  COMPREPLY=($(IFS=$' \t\n' compgen "${{wanted[@]}}" -- "$current"))
}}
complete -o filenames -F _bfslab bfslab
)",
      steps(table), cases);
}

// Returns "--data[text]:what:action" for zsh's _arguments; brackets and colons in the text are
// escaped.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const CommandOption& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return is_folder(option) ? "_files -/" : "_files";
}

std::string zsh_script(const CommandTable& table) {
  std::string cases;
  for (const Command& command : table) {
    cases += fmt::format("    {})\n", shell_quoted(shown_path(command)));
    std::string specs;
    for (const CommandOption& option : command.options) {
      if (option.positional) {
        specs +=
            " " + shell_quoted(fmt::format("{}:{}:{}", option.repeatable ? "*" : "1",
                                           zsh_escaped(option.names.front()), zsh_action(option)));
        continue;
      }
      for (const std::string& name : option.names) {
        std::string spec = fmt::format("{}{}[{}]", option.repeatable ? "*" : "", name,
                                       zsh_escaped(brief(option.doc)));
        if (!option.value.empty()) {
          spec += fmt::format(":{}:{}", zsh_escaped(option.value), zsh_action(option));
        }
        specs += " " + shell_quoted(spec);
      }
    }
    if (!command.subcommands.empty()) {
      std::string described;
      for (const std::string& sub : command.subcommands) {
        const std::string path = command.path.empty() ? sub : command.path + " " + sub;
        const auto found = std::ranges::find(table, path, &Command::path);
        described += " " + shell_quoted(sub + ":" + zsh_escaped(brief(found->doc)));
      }
      cases += fmt::format("      subcommands=({})\n", described);
    }
    cases += fmt::format("      specs=({}) ;;\n", specs);
  }
  return fmt::format(
      R"(#compdef bfslab
# zsh completion for bfslab, written by `bfslab completion zsh`.
_bfslab() {{
  local at=bfslab word i depth=1
  local -a specs subcommands
  for (( i = 2; i < CURRENT; ++i )); do
    word=${{words[i]}}
    case $at in
{}    esac
    [[ $at == *" $word" ]] && depth=$i
  done
  case $at in
{}  esac
  if (( ${{#subcommands}} )) && [[ $PREFIX != -* ]]; then
    _describe command subcommands
    return
  fi
  words=("${{words[@]:$((depth - 1))}}")
  (( CURRENT -= depth - 1 ))
  _arguments $specs
}}
_bfslab "$@"
)",
      steps(table), cases);
}

std::string fish_script(const CommandTable& table) {
  std::string paths;
  std::string lines;
  for (const Command& command : table) {
    if (!command.path.empty()) paths += " " + fish_quoted(command.path);
    const std::string at = fmt::format("complete -c bfslab -n {}",
                                       fish_quoted("__bfslab_at " + fish_quoted(command.path)));
    for (const std::string& sub : command.subcommands) {
      const std::string path = command.path.empty() ? sub : command.path + " " + sub;
      const auto found = std::ranges::find(table, path, &Command::path);
      lines += fmt::format("{} -f -a {} -d {}\n", at, sub, fish_quoted(brief(found->doc)));
    }
    for (const CommandOption& option : command.options) {
      std::string line = at;
      if (!option.positional) {
        for (const std::string& name : option.names) {
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.value.empty()) line += " -r";
        line += " -d " + fish_quoted(brief(option.doc));
      }
      if (!option.choices.empty()) {
        line += " -f -a " + fish_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      } else if (is_folder(option)) {
        line += " -f -a '(__fish_complete_directories)'";
      } else if (option.positional) {
        line += " -F";
      }
      lines += line + "\n";
    }
  }
  return fmt::format(
      R"(# fish completion for bfslab, written by `bfslab completion fish`.
function __bfslab_at
    set -l at
    for word in (commandline -opc)[2..]
        set -l longer (string trim "$at $word")
        if contains -- "$longer"{}
            set at $longer
        end
    end
    test "$at" = "$argv[1]"
end
{})",
      paths, lines);
}

}  // namespace

void add_completion_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("completion", "A completion script for bash, zsh or fish");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "`make install` puts the scripts where the shells look for them. Examples:\n"
      "  source <(bfslab completion bash)\n"
      "  bfslab completion fish > ~/.config/fish/completions/bfslab.fish");
  command->callback([&app, shell] {
    const CommandTable table = command_table(app);
    fmt::print("{}", *shell == "bash"  ? bash_script(table)
                     : *shell == "zsh" ? zsh_script(table)
                                       : fish_script(table));
  });
}

}  // namespace bfslab
