// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

constexpr const char* kRanks = "{ranks}";
constexpr const char* kCommand = "{command}";
constexpr const char* kExample =
    "as in --launcher \"mpirun -n {ranks} {command}\" or --launcher \"srun -n {ranks} {command}\"";

// Splits words as a POSIX shell does, without expansions. Empty if a quote is left open.
std::optional<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (++i == text.size()) return std::nullopt;
      // Between double quotes a backslash stands for itself unless it quotes something.
      if (quote == '"' && text[i] != '"' && text[i] != '\\') words.back() += c;
      words.back() += text[i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return words;
}

bool contains(const std::string& word, const char* part) {
  return word.find(part) != std::string::npos;
}

// Returns whether `program` can be executed, by its path or found in PATH.
bool found(const std::string& program) {
  if (contains(program, "/")) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

Launcher::Launcher(const std::string& text, const std::string& origin)
    : text_(text), origin_(origin) {
  const auto refuse = [&](const std::string& why) {
    return InputError(fmt::format("{} \"{}\": {}, {}", origin, text, why, kExample));
  };
  auto words = split_words(text);
  if (!words) throw refuse("a quote is not closed");
  words_ = std::move(*words);
  if (words_.empty()) throw refuse("expected the command that starts several processes");
  std::size_t commands = 0;
  for (const std::string& word : words_) {
    if (word == kCommand) {
      ++commands;
    } else if (contains(word, kCommand)) {
      throw refuse("{command} stands for several words, so it must be a separate word");
    }
  }
  if (commands > 1) throw refuse("expected {command} once");
  if (commands == 0) words_.emplace_back(kCommand);
  if (words_.front() == kCommand) throw refuse("expected a program before {command}");
  if (std::ranges::none_of(words_, [](const auto& word) { return contains(word, kRanks); })) {
    throw refuse("expected {ranks} where the number of processes belongs");
  }
}

Launcher Launcher::chosen(const std::string& option) {
  if (!option.empty()) return Launcher(option);
  const char* variable = std::getenv("BFSLAB_LAUNCHER");
  if (variable != nullptr && *variable != '\0') return Launcher(variable, "BFSLAB_LAUNCHER");
  Launcher launcher(kDefault);
  launcher.named_ = false;
  return launcher;
}

std::vector<std::string> Launcher::command(unsigned ranks,
                                           const std::vector<std::string>& worker) const {
  std::vector<std::string> out;
  for (std::string word : words_) {
    if (word == kCommand) {
      out.insert(out.end(), worker.begin(), worker.end());
      continue;
    }
    for (std::size_t at = 0; (at = word.find(kRanks, at)) != std::string::npos;) {
      word.replace(at, std::string(kRanks).size(), std::to_string(ranks));
    }
    out.push_back(std::move(word));
  }
  return out;
}

void Launcher::require() const {
  if (const std::string why = named_ ? missing() : std::string(); !why.empty()) {
    throw InputError(why);
  }
}

std::string Launcher::missing() const {
  const std::string& program = words_.front();
  if (found(program)) return {};
  if (named_) {
    return fmt::format("{}: there is no program \"{}\" in PATH; name another, {}", origin_, program,
                       kExample);
  }
  return fmt::format(
      "several ranks are started by \"{}\", which is not installed: install Open MPI (on Debian "
      "and Ubuntu: apt-get install openmpi-bin), or name another launcher by --launcher or "
      "BFSLAB_LAUNCHER",
      program);
}

std::vector<std::pair<std::string, std::string>> launcher_environment() {
  std::vector<std::pair<std::string, std::string>> out = {
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      // Ranks end with the thread that started them (PR_SET_PDEATHSIG): it has to be mpirun's main
      // thread, and not one of a pool.
      {"OMPI_MCA_odls_base_num_threads", "0"},
      {"OMPI_MCA_orte_tag_output", "1"},  // marks each line of worker.log with its rank
      // Ranks have nothing to clean up, so mpirun kills them at once, without waiting a second.
      {"OMPI_MCA_odls_base_sigkill_timeout", "0"},
      {"SLURM_STDINMODE", "0"},
      {"SLURM_KILL_BAD_EXIT", "1"},
  };
  if (::geteuid() == 0) {
    out.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    out.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  std::erase_if(out, [](const auto& each) { return std::getenv(each.first.c_str()) != nullptr; });
  return out;
}

}  // namespace bfslab
