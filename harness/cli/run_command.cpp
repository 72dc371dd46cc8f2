// SPDX-License-Identifier: Apache-2.0
// bfslab run: experiments from their specs to folders of rows. Standard output gets one line per
// experiment, its folder, or with --json, --markdown or --csv the tables of results; everything
// else goes to standard error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/run_specs.hpp"
#include "harness/cli/run_table.hpp"
#include "harness/run/launcher.hpp"

namespace bfslab {

namespace {

struct RunCommand {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  bool resume = false;
  RunArguments run;
};

constexpr const char* kRunFooter = R"(Examples:
  bfslab run experiments/quick/engines.json
  bfslab run SPEC --set repeats=10 --set 'graphs=["kronecker:scale=20"]'
  bfslab run SPEC --only 'hybrid*/kronecker*'   only these cases on these graphs
  bfslab run SPEC --shard 2/4                   the second quarter of the graphs
  bfslab run SPEC --launcher 'srun -n {ranks} {command}'   ranks by Slurm, not by mpirun
  bfslab run SPEC --dry-run                     print the plan, run nothing

It ends in a table of each experiment on standard error: the median time of each case and graph, its
95 % interval, its rate, how many times as fast as the spec's `baseline` it is, and what became of
its trials. --json, --markdown and --csv print it on standard output, in place of the folders.

Rows are complete as soon as they are written: stop a run at any time (ctrl-C, kill), and run the
same command again to continue with the missing trials. A spec may grow by graphs, sources, repeats,
cases and swept values, also after a rebuild: its rows stay, and the missing ones are added. Rows of
another protocol or machine are refused: --fresh moves them aside to RESULTS/.previous, --results
names another folder. Trials that were ended from outside (`interrupted`) are retried by themselves.
Other failures are results: --retry oom,timeout runs them again. Graphs of the catalogue and of
distributors that are in no data folder are fetched into CACHE/data before anything runs. A
configuration that crashes or runs out of memory or time becomes
a row with that status, and the others continue.

Exit codes: 0 done (crash, timeout, oom and unsupported rows included: they are results), 1 a wrong
answer, a graph whose worker died while it was loaded, trials that were ended from outside, a full
disk or a fault of bfslab, 2 bad input (including a graph that is unavailable, cannot be loaded or
has no vertex to start from; the other graphs are run), 130 interrupted.)";

// Loads and validates every spec. Throws InputError with the errors of all files.
std::vector<Spec> load_all(const RunCommand& arguments) {
  std::vector<Spec> specs;
  std::vector<std::string> overrides = arguments.set;
  if (arguments.run.allow_stand_ins) overrides.emplace_back("allow_stand_ins=true");
  std::string errors;
  std::map<std::string, std::string> names;
  for (const std::string& file : arguments.specs) {
    try {
      specs.push_back(load_spec(file, overrides));
      const auto [first, is_new] = names.emplace(specs.back().name, file);
      if (!is_new) {
        errors +=
            fmt::format("{} and {} have the same name \"{}\", and would write to one folder\n",
                        first->second, file, first->first);
      }
    } catch (const InputError& error) {
      errors += std::string(error.what()) + "\n";
    }
  }
  if (!errors.empty()) {
    errors.pop_back();
    throw InputError(errors);
  }
  return specs;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run experiments and record their rows");
  auto arguments = std::make_shared<RunCommand>();
  RunArguments& run = arguments->run;
  command->add_option("SPEC", arguments->specs, "Experiment files (JSON)")->required();
  command
      ->add_option("--set", arguments->set, "Override a key of the spec: repeats=3, base.threads=2")
      ->allow_extra_args(false);
  command->add_option("--only", run.only, "Run only what matches this glob pattern of CASE/GRAPH")
      ->allow_extra_args(false);
  command->add_option("--shard", run.shard, "i/n: every n-th graph, starting with the i-th");
  auto* fresh = add_run_options(*command, run);
  command
      ->add_flag("--resume", arguments->resume,
                 "Resume existing rows, or start: the default, made explicit")
      ->excludes(fresh);
  command
      ->add_option("--sync-interval", run.sync_interval_s,
                   "Seconds until a row must be on the disk; 0 waits for the disk after every row, "
                   "so that a power cut loses none")
      ->check(real_range(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
  command
      ->add_option("--retry", run.retry,
                   "Run again what failed in earlier runs: some of oom, timeout, crash, wrong and "
                   "unsupported, joined by commas")
      ->type_name("STATUSES");
  command->add_flag("--wait-for-idle", run.wait_for_idle, "Wait until no one else uses the GPU");
  command->add_option("--launcher", run.launcher,
                      fmt::format("Command that starts the ranks of distributed engines (default: "
                                  "$BFSLAB_LAUNCHER, else \"{}\"): docs/distributed.md",
                                  Launcher::kDefault));
  command->footer(kRunFooter);
  command->callback([arguments, &exit_code] {
    exit_code = run_specs(arguments->run, load_all(*arguments), results_table());
  });
}

}  // namespace bfslab
