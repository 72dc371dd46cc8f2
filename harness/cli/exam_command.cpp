// SPDX-License-Identifier: Apache-2.0
// bfslab exam: puts engines through the tests that every engine of bfslab passes. They are a
// program of their own, bfslab-exam (tests/kernels/exam_program.cpp), since they are made with
// GoogleTest.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/cli/direct_spec.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/plugin/plugins.hpp"

namespace bfslab {

namespace {

constexpr const char* kExamFooter =
    R"(The exams compare answers with a reference, from several sources of some sixty small graphs, for
all values of two toggles at a time. They compare the reported levels with the answer, and the
estimated memory with the memory in use (docs/own_engine.md).

Examples:
  bfslab exam --plugin build/libmine.so
  bfslab exam --plugin build/libmine.so --engine my-engine
  bfslab exam --engine hybrid

Exit codes: 0 all exams passed, 1 one failed, 2 bad input.)";

// Returns the program in the folder of this one (a build) or in libexec (an installation).
std::string exam_program() {
  namespace fs = std::filesystem;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& file :
       {here / "bfslab-exam", here.parent_path() / "libexec/bfslab/bfslab-exam"}) {
    if (fs::exists(file)) return file.string();
  }
  throw InputError(fmt::format(
      "exam: there is no program bfslab-exam in {}: install GoogleTest (on Debian and Ubuntu: "
      "apt-get install libgtest-dev libgmock-dev), and build and install bfslab again",
      here.string()));
}

void exam(const std::string& engine) {
  if (engine.empty() && plugins().empty()) {
    throw InputError("exam: expected --plugin FILE, --engine NAME or both");
  }
  std::vector<std::string> words = {exam_program()};
  for (const std::string& word : plugin_words()) words.push_back(word);
  if (!engine.empty()) {
    words.insert(words.end(), {"--engine", traversing_engine(engine).name});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // More threads than processors: those that wait must not hold a core.
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  ::execv(arguments.front(), arguments.data());
  throw std::runtime_error(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
}

}  // namespace

void add_exam_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("exam", "Put an engine through the tests that all engines pass");
  const auto engine = std::make_shared<std::string>();
  add_plugin_option(*command);
  command->add_option("--engine", *engine, "Only this engine (default: all of the plugins)");
  command->footer(kExamFooter);
  command->callback([engine] { exam(*engine); });
}

}  // namespace bfslab
