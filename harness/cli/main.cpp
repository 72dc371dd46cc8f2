// bfslab's main program. Exit codes: 0 done, 1 a wrong answer or our own fault, 2 bad input, 130
// interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "datasets/graph/types.hpp"
#include "harness/cli/commands.hpp"
#include "kernels/device_errors.hpp"

namespace {

constexpr const char* kFooter = R"(Examples:
  bfslab list engines                         what can be run, with all toggles
  bfslab check experiments/quick/*.json       validate and estimate without running
  bfslab run experiments/quick/*.json         run; rows go to results/<host>/<experiment>
  bfslab run --help                           every command has examples

Exit codes: 0 done, 1 a wrong answer or a fault of bfslab, 2 bad input, 130 interrupted.)";

int run(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app{"bfslab: a laboratory for breadth-first search", "bfslab"};
  app.require_subcommand(1);
  app.footer(kFooter);
  bfslab::add_run_command(app, exit_code);
  bfslab::add_check_command(app, exit_code);
  bfslab::add_list_command(app, exit_code);
  bfslab::add_graph_command(app, exit_code);
  bfslab::add_traverse_command(app, exit_code);
  bfslab::add_version_command(app, exit_code);
  bfslab::add_worker_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const bfslab::InputError& error) {
    fmt::print(stderr, "bfslab: {}\n", error.what());
    return 2;
  } catch (const bfslab::OutOfDeviceMemory& error) {
    fmt::print(stderr, "bfslab: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bfslab: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bfslab: {}\n", error.what());
  }
  return 1;
}
