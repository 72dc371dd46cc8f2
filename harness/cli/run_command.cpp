// SPDX-License-Identifier: Apache-2.0
// bfslab run: experiments from their specs to folders of rows. Standard output gets one line per
// experiment, its folder, or with --json or --markdown the tables of results; everything else goes
// to standard error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/text/printable.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/run_graphs.hpp"
#include "harness/cli/run_table.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/record/build_info.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/run_experiment.hpp"
#include "harness/spec/stand_ins.hpp"

namespace bfslab {

namespace {

constexpr Status kFailures[] = {Status::oom, Status::timeout, Status::crash, Status::wrong,
                                Status::unsupported};

struct RunArguments {
  std::vector<std::string> specs;
  std::string results;
  std::vector<std::string> set;
  std::vector<std::string> only;
  std::string shard = "1/1";
  bool resume = false;
  bool fresh = false;
  bool wait_for_idle = false;
  double sync_interval_s = 0;
  std::string retry;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
  bool markdown = false;
  bool allow_stand_ins = false;
  std::vector<std::string> data;
  std::string cache;
  std::string launcher;
  FetchArguments fetch;
};

constexpr const char* kRunFooter = R"(Examples:
  bfslab run experiments/quick/engines.json
  bfslab run SPEC --set repeats=10 --set 'graphs=["kronecker:scale=20"]'
  bfslab run SPEC --only 'hybrid*/kronecker*'   only these cases on these graphs
  bfslab run SPEC --shard 2/4                   the second quarter of the graphs
  bfslab run SPEC --launcher 'srun -n {ranks} {command}'   ranks by Slurm, not by mpirun
  bfslab run SPEC --dry-run                     print the plan, run nothing

It ends in a table of each experiment on standard error: the median time of each case and graph, its
95 % interval, how many times as fast as the spec's `baseline` it is, and what became of its trials.

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
std::vector<Spec> load_all(const RunArguments& arguments) {
  std::vector<Spec> specs;
  std::vector<std::string> overrides = arguments.set;
  if (arguments.allow_stand_ins) overrides.emplace_back("allow_stand_ins=true");
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

// Parses "oom,timeout". Throws InputError.
std::set<Status> failures_named(const std::string& text) {
  std::set<Status> named;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto failure =
        std::ranges::find_if(kFailures, [&](Status each) { return word == to_text(each); });
    if (failure == std::end(kFailures)) {
      throw InputError(
          fmt::format("--retry: found \"{}\", expected some of oom, timeout, crash, wrong and "
                      "unsupported, joined by commas",
                      word));
    }
    named.insert(*failure);
  }
  return named;
}

void require_launcher(const Launcher& launcher, const Plans& plans) {
  for (const std::vector<TrialGroup>& plan : plans) {
    if (std::ranges::any_of(plan, [](const TrialGroup& group) { return group.ranks > 1; })) {
      return launcher.require();
    }
  }
}

// Warns before hours of measuring; the table and the figures warn again.
void warn_of_another_cpu(const std::vector<Spec>& specs, const Plans& plans) {
  const std::string another = compiled_for_another_cpu();
  if (another.empty()) return;
  std::set<std::string> engines;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const TrialGroup& group : plans[i]) {
      for (const std::size_t index : group.configurations) {
        const EngineInfo& engine = *specs[i].configurations[index].engine;
        if (!engine.counts() && !engine.can.gpu && !engine.can.external) {
          engines.insert(engine.name);
        }
      }
    }
  }
  if (engines.empty()) return;
  write_stderr(fmt::format(
      "bfslab: warning: this program was compiled for another CPU, {}, so times of {} may be "
      "longer than they need be: build it on this machine\n",
      another, fmt::join(engines, ", ")));
}

// Prints the table of an experiment's results, or its folder and, as progress, the table. JSON is
// appended to `tables` instead.
void print_results(const RunArguments& arguments, const Spec& spec, const std::string& folder,
                   const Interrupts& interrupts, Progress& progress,
                   nlohmann::ordered_json& tables) {
  const auto poll = [&] { interrupts.poll(); };
  const Experiment experiment = read_in_order(spec, folder);
  if (arguments.json) {
    tables.push_back(run_table_json(spec, experiment, poll));
  } else if (arguments.markdown) {
    fmt::print("{}\n", run_table(spec, experiment, true, poll));
  } else {
    progress.step(run_table(spec, experiment, false, poll));
    fmt::print("{}\n", folder);
  }
  std::fflush(stdout);
}

// Runs all experiments and prints their results. Returns the exit code.
int run_experiments(const RunArguments& arguments, const std::vector<Spec>& specs,
                    const Plans& plans, const RunOptions& options, const Interrupts& interrupts,
                    Progress& progress) {
  const char* again = arguments.fresh ? "the same command without --fresh" : "the same command";
  int exit_code = 0;
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  try {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const ExperimentOutcome outcome =
          run_experiment(specs[i], plans[i], options, interrupts, progress);
      print_results(arguments, specs[i], outcome.path, interrupts, progress, tables);
      if ((outcome.bad_input || outcome.no_sources) && exit_code == 0) exit_code = 2;
      if (outcome.wrong || outcome.incomplete) exit_code = 1;
    }
  } catch (const Interrupted& interruption) {
    progress.finish();
    progress.warn(fmt::format(
        "bfslab: {} after {} of {} trials; all finished rows are kept, and {} continues from there",
        interruption.what(), progress.done(), progress.total(), again));
    return 130;
  } catch (const StorageError& error) {
    progress.finish();
    progress.warn(
        fmt::format("bfslab: {}; the rows written so far are complete; once that is corrected, {} "
                    "continues from there",
                    error.what(), again));
    return 1;
  } catch (...) {
    progress.finish();
    throw;
  }
  if (arguments.json) print_json(tables);
  return exit_code;
}

// NVTX passes over a library that is not there, and then no range is seen.
void warn_of_missing_injection() {
  const std::string library = environment_text("NVTX_INJECTION64_PATH");
  std::error_code ignored;
  if (library.empty() || std::filesystem::is_regular_file(library, ignored)) return;
  write_stderr(fmt::format(
      "bfslab: warning: NVTX_INJECTION64_PATH names {}, and there is no such file: no ranges are "
      "shown\n",
      printable(library)));
}

void print_plans(const std::vector<Spec>& specs, const Plans& plans, bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (json) {
      all.push_back(plan_json(specs[i], plans[i]));
    } else {
      fmt::print("{}", printable_lines(describe_plan(specs[i], plans[i])));
    }
  }
  if (json) print_json(all);
}

int run_specs(const RunArguments& arguments) {
  RunOptions options;
  options.results = arguments.results.empty() ? "results/" + host_name() : arguments.results;
  const Shard shard = Shard::parse(arguments.shard);
  options.fresh = arguments.fresh;
  options.wait_for_idle = arguments.wait_for_idle;
  options.sync_interval_s = arguments.sync_interval_s;
  options.retry = failures_named(arguments.retry);
  options.cache_folder = cache_folder(arguments.cache);
  options.data_folders = data_folders(arguments.data, options.cache_folder);
  options.arguments = command_line();
  options.launcher = Launcher::chosen(arguments.launcher);

  std::vector<Spec> specs = load_all(arguments);
  for (Spec& spec : specs) {
    for (const std::string& notice : use_stand_ins(spec, options.data_folders)) {
      write_stderr(notice + '\n');
    }
  }
  std::vector<std::vector<TrialGroup>> plans;
  plans.reserve(specs.size());
  for (const Spec& spec : specs) plans.push_back(make_plan(spec, arguments.only, shard));
  require_files(specs, plans, options.data_folders);
  require_launcher(options.launcher, plans);
  if (arguments.dry_run) {
    print_plans(specs, plans, arguments.json);
    return 0;
  }

  warn_of_another_cpu(specs, plans);
  warn_of_missing_injection();
  const Interrupts interrupts;
  Progress progress(arguments.quiet);
  try {
    options.unavailable = fetch_graphs(specs, plans, options.data_folders, arguments.fetch,
                                       interrupts, progress, arguments.quiet);
  } catch (const Interrupted& interruption) {
    progress.warn(fmt::format(
        "bfslab: {} while graphs were fetched; what has arrived is kept, and the same command "
        "continues from there",
        interruption.what()));
    return 130;
  }
  return run_experiments(arguments, specs, plans, options, interrupts, progress);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Run experiments and record their rows");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("SPEC", arguments->specs, "Experiment files (JSON)")->required();
  command->add_option("--results", arguments->results,
                      "Folder for the experiments' folders (default: results/<host name>)");
  command
      ->add_option("--set", arguments->set, "Override a key of the spec: repeats=3, base.threads=2")
      ->allow_extra_args(false);
  command->add_flag("--allow-stand-ins", arguments->allow_stand_ins,
                    "Let the catalogue's generated stand-ins replace data sets whose "
                    "files are missing; short for --set allow_stand_ins=true");
  command
      ->add_option("--only", arguments->only,
                   "Run only what matches this glob pattern of CASE/GRAPH")
      ->allow_extra_args(false);
  command->add_option("--shard", arguments->shard, "i/n: every n-th graph, starting with the i-th");
  auto* resume = command->add_flag("--resume", arguments->resume,
                                   "Resume existing rows, or start: the default, made explicit");
  command->add_flag("--fresh", arguments->fresh, "Move earlier rows aside and start again")
      ->excludes(resume);
  command
      ->add_option("--sync-interval", arguments->sync_interval_s,
                   "Seconds until a row must be on the disk; 0 waits for the disk after every row, "
                   "so that a power cut loses none")
      ->check(real_range(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
  command
      ->add_option("--retry", arguments->retry,
                   "Run again what failed in earlier runs: some of oom, timeout, crash, wrong and "
                   "unsupported, joined by commas")
      ->type_name("STATUSES");
  command->add_flag("--wait-for-idle", arguments->wait_for_idle,
                    "Wait until no one else uses the GPU");
  auto* dry_run =
      command->add_flag("--dry-run", arguments->dry_run, "Print the plan and run nothing");
  command->add_flag("--quiet", arguments->quiet, "Print failures and warnings only");
  auto* json =
      command->add_flag("--json", arguments->json,
                        "Print the tables of results, or the plan, as JSON, and no folders");
  command
      ->add_flag("--markdown", arguments->markdown,
                 "Print the tables of results as Markdown, and no folders")
      ->excludes(json)
      ->excludes(dry_run);
  command
      ->add_option("--data", arguments->data,
                   "Folder with graph files; searched before BFSLAB_DATA")
      ->allow_extra_args(false);
  command->add_option("--cache", arguments->cache,
                      "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)");
  command->add_option("--launcher", arguments->launcher,
                      fmt::format("Command that starts the ranks of distributed engines (default: "
                                  "$BFSLAB_LAUNCHER, else \"{}\"): docs/distributed.md",
                                  Launcher::kDefault));
  add_fetch_options(*command, arguments->fetch, /*tuning=*/true);
  command->footer(kRunFooter);
  command->callback([arguments, &exit_code] { exit_code = run_specs(*arguments); });
}

}  // namespace bfslab
