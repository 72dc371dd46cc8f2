// bfslab worker: what `bfslab run` starts, one process per graph. Hidden from --help.
#include "harness/run/worker.hpp"

#include <CLI/CLI.hpp>

#include "harness/cli/commands.hpp"

namespace bfslab {

void add_worker_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("worker", "Started by `bfslab run`");
  command->group("");
  command->callback([&exit_code] { exit_code = run_worker(); });
}

}  // namespace bfslab
