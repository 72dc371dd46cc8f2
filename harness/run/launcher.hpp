// SPDX-License-Identifier: Apache-2.0
// Launcher: the command that starts a distributed engine's worker as several processes (ranks):
// mpirun, srun, or any that a template names. docs/distributed.md is its manual.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bfslab {

class Launcher {
 public:
  static constexpr const char* kDefault = "mpirun -n {ranks} {command}";

  // A template: words, split at blanks as a shell does it ('...', "..." and \ quote), in which
  // {ranks} is replaced by the number of ranks and the word {command} by the worker's command,
  // which is appended if {command} is missing. No shell takes part. `origin` ("--launcher") is used
  // in messages only. Throws InputError.
  explicit Launcher(const std::string& text, const std::string& origin = "--launcher");
  // Returns the launcher of the option if there is one, else of BFSLAB_LAUNCHER, else of kDefault.
  static Launcher chosen(const std::string& option);

  // Returns the words to execute.
  [[nodiscard]] std::vector<std::string> command(unsigned ranks,
                                                 const std::vector<std::string>& worker) const;
  // Returns the reason why it cannot be started here, and the mend; empty if its program is there.
  [[nodiscard]] std::string missing() const;
  // Throws InputError if a user named a launcher that is not there. If the default one is not
  // there, the trials that need it become rows.
  void require() const;
  [[nodiscard]] const std::string& text() const { return text_; }  // the template

 private:
  std::string text_;
  std::string origin_;
  std::vector<std::string> words_;
  bool named_ = true;  // a user named it; it is not the default
};

// Returns the settings, as name and value, that launchers get by their environment unless it has
// others. Open MPI then starts as root, starts more ranks than cores, and binds no rank to one
// core, since ranks have threads. Slurm's srun gives its standard input to rank 0 alone, and ends
// all ranks when one fails.
std::vector<std::pair<std::string, std::string>> launcher_environment();

}  // namespace bfslab
