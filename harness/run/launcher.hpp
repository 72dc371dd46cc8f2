// SPDX-License-Identifier: Apache-2.0
// Launcher: the command that starts a distributed engine's worker as several processes (ranks):
// mpirun, srun, or whatever a template names. docs/distributed.md is its manual.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bfslab {

class Launcher {
 public:
  static constexpr const char* kDefault = "mpirun -n {ranks} {command}";

  // A template: words, split at blanks as a shell does it ('...', "..." and \ quote), in which
  // {ranks} is replaced by the number of ranks and the word {command} by the worker's command. It
  // is appended where it is missing. No shell takes part. `origin` ("--launcher") is only named in
  // messages. Throws InputError.
  explicit Launcher(const std::string& text, const std::string& origin = "--launcher");
  // Of the option if there is one, else of BFSLAB_LAUNCHER, else kDefault.
  static Launcher chosen(const std::string& option);

  // The words to execute.
  [[nodiscard]] std::vector<std::string> command(unsigned ranks,
                                                 const std::vector<std::string>& worker) const;
  // Why it cannot be started here, and what to do about it; empty if its program is there.
  [[nodiscard]] std::string missing() const;
  // Throws InputError where a user named one that is not there; without the default one, what needs
  // it becomes rows.
  void require() const;
  [[nodiscard]] const std::string& text() const { return text_; }  // the template

 private:
  std::string text_;
  std::string origin_;
  std::vector<std::string> words_;
  bool named_ = true;  // by a user, and it is not the default
};

// What launchers are told by their environment where it says nothing else: name and value. Open MPI
// starts as root, more ranks than cores, and binds no rank to one core, since ranks have threads;
// Slurm's srun gives its standard input to rank 0 alone, and ends all ranks when one fails.
std::vector<std::pair<std::string, std::string>> launcher_environment();

}  // namespace bfslab
