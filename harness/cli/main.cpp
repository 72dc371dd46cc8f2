// SPDX-License-Identifier: Apache-2.0
// bfslab's main program. Exit codes: 0 done, 1 a wrong answer or our own fault, 2 bad input, 130
// interrupted.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/text/printable.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/memory_limit.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/usage.hpp"
#include "harness/record/build_info.hpp"
#include "kernels/device_errors.hpp"

namespace {

constexpr const char* kProgramFooter = R"(Examples:
  bfslab list engines                         what can be run, with all toggles
  bfslab check experiments/quick/*.json       validate and estimate without running
  bfslab run experiments/quick/*.json         run; rows go to results/<host>/<experiment>
  bfslab bench kronecker:scale=16 --engine hybrid,top-down     times without a spec
  bfslab ablate kronecker:scale=16 --engine hybrid    which of its techniques pay
  bfslab compare results/a results/b          what became faster, what slower
  bfslab doctor                               is this machine fit to measure on?
  bfslab run --help                           every command has examples

Exit codes: 0 done, 1 a wrong answer or a fault of bfslab, 2 bad input, 130 interrupted. The manual
page, bfslab(1), has them by command, and the environment variables that commands read.)";

// Requires arguments to be UTF-8: they become file names, JSON and rows.
void require_utf8(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (bfslab::is_utf8(argv[i])) continue;
    throw bfslab::InputError(
        fmt::format("argument {}, \"{}\", is not UTF-8; if it is the name of a file or a folder, "
                    "rename that",
                    i, bfslab::printable(argv[i])));
  }
}

// A stack that is too small would end in a crash without a word.
void require_stack() {
  constexpr rlim_t kLeast = rlim_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return;
  throw bfslab::InputError(
      fmt::format("the stack is limited to {} KiB, and bfslab needs {}: raise the limit by `ulimit "
                  "-s 8192`",
                  limit.rlim_cur >> 10, kLeast >> 10));
}

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "What --help of a command prints");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "A command: run, or graph info");
  command->footer("Example: bfslab help graph fetch");
  command->callback([words, &app] {
    fmt::print("{}", bfslab::help_text(app, fmt::format("{}", fmt::join(*words, " "))));
  });
}

int run(int argc, char** argv) {
  require_utf8(argc, argv);
  require_stack();
  int exit_code = 0;
  CLI::App app{"bfslab: a laboratory for breadth-first search", "bfslab"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("bfslab {}", bfslab::build_info().version),
                       "Version (more with bfslab version)");
  app.footer(kProgramFooter);
  bfslab::add_run_command(app, exit_code);
  bfslab::add_bench_command(app, exit_code);
  bfslab::add_ablate_command(app, exit_code);
  bfslab::add_profile_command(app, exit_code);
  bfslab::add_check_command(app, exit_code);
  bfslab::add_list_command(app, exit_code);
  bfslab::add_graph_command(app, exit_code);
  bfslab::add_cache_command(app, exit_code);
  bfslab::add_traverse_command(app, exit_code);
  bfslab::add_graph500_command(app, exit_code);
  bfslab::add_compare_command(app, exit_code);
  bfslab::add_doctor_command(app, exit_code);
  bfslab::add_exam_command(app);
  bfslab::add_pack_command(app);
  bfslab::add_version_command(app, exit_code);
  bfslab::add_completion_command(app, exit_code);
  bfslab::add_manual_command(app, exit_code);
  bfslab::add_worker_command(app, exit_code);
  add_help_command(app);
  bfslab::refuse_empty_values(app);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream message;
    if (app.exit(error, std::cout, message) == 0) return 0;
    const std::string why = bfslab::unknown_word(app, argc, argv);
    throw bfslab::InputError(why.empty() ? bfslab::what_is_wrong(app, argc, argv, message.str())
                                         : why);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const auto complain = [](const char* text) {
    bfslab::write_stderr(fmt::format("bfslab: {}\n", text));
  };
  try {
    bfslab::open_standard_streams();
    // A limit on the size of files (ulimit -f) is then an error of the write that exceeds it.
    std::signal(SIGXFSZ, SIG_IGN);
    const int exit_code = run(argc, argv);
    bfslab::finish_stdout();
    return exit_code;
  } catch (const bfslab::InputError& error) {
    complain(error.what());
    return 2;
  } catch (const bfslab::OutOfDeviceMemory& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain(bfslab::out_of_memory_text());
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return 1;
}
