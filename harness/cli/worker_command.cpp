// SPDX-License-Identifier: Apache-2.0
// bfslab worker: the process that `bfslab run` starts, one per graph, or one per rank. Hidden from
// --help.
#include "harness/run/worker.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"

namespace bfslab {

void add_worker_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("worker", "Started by `bfslab run`");
  command->group("");
  auto ranks = std::make_shared<unsigned>(0);
  command->add_option("--ranks", *ranks,
                      "Run as one of this number of processes, started by a launcher");
  auto plugins = std::make_shared<std::vector<std::string>>();
  command->add_option("--plugin", *plugins, "HASH:PATH of a plugin (repeatable)")
      ->allow_extra_args(false);
  command->callback([ranks, plugins, &exit_code] {
    exit_code = *ranks > 0 ? run_rank(*ranks, *plugins) : run_worker(*plugins);
  });
}

}  // namespace bfslab
