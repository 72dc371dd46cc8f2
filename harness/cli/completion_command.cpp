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
#include "harness/cli/completion_words.hpp"
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
  switch (option.completion) {
    case Completion::graphs:
      return "-W \"$(_bfslab_graphs)\" -f";
    case Completion::specs:
      return "specs";
    case Completion::toggles:
      return "-W \"$(_bfslab_settings \"$engine\" \"$key\")\"";
    case Completion::keys:
      return "-W " + shell_quoted(fmt::format("{}", fmt::join(key_words(), " ")));
    case Completion::folders:
      return "-d";
    case Completion::files:
      break;
  }
  return "-f";
}

// Returns the cases of the settings of each engine: `  hybrid) words='alpha= rule=work' ;;`.
std::string setting_cases(const char* variable) {
  std::string cases;
  for (const EngineWords& each : setting_words()) {
    cases += fmt::format("    {}) {}={} ;;\n", each.engine, variable,
                         shell_quoted(fmt::format("{}", fmt::join(each.settings, " "))));
  }
  return cases;
}

constexpr const char* kBashScript =
    R"(# bash completion for bfslab, written by `bfslab completion bash`.
_bfslab_graphs() {{
  echo {0}
}}
# The settings of an engine, or the values of one of them.
_bfslab_settings() {{
  local words='' word
  case $1 in
{1}  esac
  for word in $words; do
    if [[ -z $2 ]]; then echo "$word"; elif [[ $word == "$2="?* ]]; then echo "${{word#*=}}"; fi
  done
}}
# Specs here, and those of the installed program where the folder has no experiments.
_bfslab_specs() {{
  local share=$(command -v bfslab)
  share=${{share%/bin/*}}/share/bfslab/experiments
  compgen -f -X '!*.json' -- "$1"
  compgen -d -- "$1"
  if [[ ! -d experiments && -d $share ]]; then
    (cd "$share" && compgen -G '*/*.json') | while read -r word; do
      [[ $share/$word == "$1"* || ${{word##*/}} == "$1"* ]] && echo "$share/$word"
    done
  fi
}}
_bfslab() {{
  local at=bfslab word options='' wanted=() current=$2 previous=$3 engine=hybrid key='' i
  # Readline splits words at "=".
  if [[ $current == = ]]; then
    key=$previous current='' previous=${{COMP_WORDS[COMP_CWORD-2]}}
  elif [[ $previous == = ]] && (( COMP_CWORD > 2 )); then
    key=${{COMP_WORDS[COMP_CWORD-2]}} previous=${{COMP_WORDS[COMP_CWORD-3]}}
  fi
  if [[ $key == --* ]]; then previous=$key key=''; fi
  for (( i = 1; i < COMP_CWORD; ++i )); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == --engine ]]; then
      engine=${{COMP_WORDS[i+1]}}
      [[ $engine == = ]] && engine=${{COMP_WORDS[i+2]}}
      engine=${{engine%%,*}}
    fi
    case $at in
{2}    esac
  done
  case $at in
{3}  esac
  if [[ $current == -* ]]; then wanted=(-W "$options"); fi
  local IFS=$'\n'
  if [[ ${{wanted[0]}} == specs ]]; then
    COMPREPLY=($(_bfslab_specs "$current"))
  else
    COMPREPLY=($(IFS=$' \t\n' compgen "${{wanted[@]}}" -- "$current"))
  fi
  [[ ${{COMPREPLY[0]}} == *[=:] ]] && compopt -o nospace 2>/dev/null
  return 0
}}
complete -o filenames -F _bfslab bfslab
)";

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
  return fmt::format(kBashScript, shell_quoted(fmt::format("{}", fmt::join(graph_words(), " "))),
                     setting_cases("words"), steps(table), cases);
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
  switch (option.completion) {
    case Completion::graphs:
      return "_bfslab_graphs";
    case Completion::specs:
      return "_bfslab_specs";
    case Completion::toggles:
      return "_bfslab_settings";
    case Completion::keys:
      return fmt::format("{{compadd -S \"\" -- {}}}", fmt::join(key_words(), " "));
    case Completion::folders:
      return "_files -/";
    case Completion::files:
      break;
  }
  return "_files";
}

constexpr const char* kZshScript = R"(#compdef bfslab
# zsh completion for bfslab, written by `bfslab completion zsh`.
_bfslab_graphs() {{
  compadd -S '' -- ${{=:-{0}}}
  _files
}}
# The settings of the engine of this command line.
_bfslab_settings() {{
  local words_='' engine=hybrid i
  for (( i = 1; i < $#words; ++i )); do
    case $words[i] in
      --engine) engine=${{words[i+1]%%,*}} ;;
      --engine=*) engine=${{${{words[i]#*=}}%%,*}} ;;
    esac
  done
  case $engine in
{1}  esac
  compadd -S '' -- ${{=words_}}
}}
# Specs here, and those of the installed program where the folder has no experiments.
_bfslab_specs() {{
  local share=${{commands[bfslab]:h:h}}/share/bfslab/experiments
  _files -g '*.json'
  [[ ! -d experiments && -d $share ]] && compadd -U -M 'l:|=* r:|=*' -- $share/*/*.json(N)
}}
_bfslab() {{
  local at=bfslab word i depth=1
  local -a specs subcommands
  for (( i = 2; i < CURRENT; ++i )); do
    word=${{words[i]}}
    case $at in
{2}    esac
    [[ $at == *" $word" ]] && depth=$i
  done
  case $at in
{3}  esac
  if (( ${{#subcommands}} )) && [[ $PREFIX != -* ]]; then
    _describe command subcommands
    return
  fi
  words=("${{words[@]:$((depth - 1))}}")
  (( CURRENT -= depth - 1 ))
  _arguments $specs
}}
_bfslab "$@"
)";

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
  return fmt::format(kZshScript, fmt::join(graph_words(), " "), setting_cases("words_"),
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
      } else if (option.completion == Completion::graphs) {
        line += " -F -a " + fish_quoted(fmt::format("{}", fmt::join(graph_words(), " ")));
      } else if (option.completion == Completion::folders) {
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
