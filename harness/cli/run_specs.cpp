// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_specs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "datasets/text/printable.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/print_json.hpp"
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

// Prints the tables of a run's experiments.
class ResultPrinter {
 public:
  ResultPrinter(const RunArguments& arguments, const ResultTable& table,
                const Interrupts& interrupts, Progress& progress)
      : arguments_(arguments), table_(table), interrupts_(interrupts), progress_(progress) {}

  // Prints the table of an experiment. As text it is progress beside the folder, unless
  // `table_first`. JSON waits for finish().
  void print(const Spec& spec, const std::string& folder) {
    const auto poll = [&] { interrupts_.poll(); };
    const Experiment experiment = read_in_order(spec, folder);
    const TableFormat format = arguments_.format();
    const bool first = printed_++ == 0;
    if (format == TableFormat::json) {
      json_.push_back(table_.json(spec, experiment, poll));
    } else if (format != TableFormat::text) {
      fmt::print("{}{}", table_.text(spec, experiment, format, first, poll),
                 format == TableFormat::markdown ? "\n" : "");
    } else if (arguments_.table_first) {
      fmt::print("{}", printable_lines(table_.text(spec, experiment, format, first, poll)));
      progress_.step(fmt::format("rows: {}", folder));
    } else {
      progress_.step(table_.text(spec, experiment, format, first, poll));
      fmt::print("{}\n", folder);
    }
    std::fflush(stdout);
  }

  void finish() const {
    if (arguments_.json) print_json(json_);
  }

 private:
  const RunArguments& arguments_;
  const ResultTable& table_;
  const Interrupts& interrupts_;
  Progress& progress_;
  std::size_t printed_ = 0;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
};

// Runs all experiments and prints their results. Returns the exit code.
int run_experiments(const RunArguments& arguments, const std::vector<Spec>& specs,
                    const Plans& plans, const RunOptions& options, const ResultTable& table,
                    const Interrupts& interrupts, Progress& progress) {
  const char* again = arguments.fresh ? "the same command without --fresh" : "the same command";
  int exit_code = 0;
  ResultPrinter printer(arguments, table, interrupts, progress);
  try {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const ExperimentOutcome outcome =
          run_experiment(specs[i], plans[i], options, interrupts, progress);
      printer.print(specs[i], outcome.path);
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
  printer.finish();
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

}  // namespace

TableFormat RunArguments::format() const {
  return json       ? TableFormat::json
         : markdown ? TableFormat::markdown
         : csv      ? TableFormat::csv
                    : TableFormat::text;
}

CLI::Option* add_run_options(CLI::App& command, RunArguments& arguments) {
  command.add_option("--results", arguments.results,
                     "Folder for the experiments' folders (default: $BFSLAB_RESULTS, else "
                     "results/<host name>)");
  command.add_flag("--allow-stand-ins", arguments.allow_stand_ins,
                   "Let the catalogue's generated stand-ins replace data sets whose files are "
                   "missing; short for \"allow_stand_ins\": true in a spec");
  auto* fresh =
      command.add_flag("--fresh", arguments.fresh, "Move earlier rows aside and start again");
  auto* dry_run =
      command.add_flag("--dry-run", arguments.dry_run, "Print the plan and run nothing");
  command.add_flag("--quiet", arguments.quiet, "Print failures and warnings only");
  auto* json = command.add_flag("--json", arguments.json,
                                "Print the tables of results, or the plan, as JSON");
  auto* markdown =
      command.add_flag("--markdown", arguments.markdown, "Print the tables of results as Markdown")
          ->excludes(json)
          ->excludes(dry_run);
  command.add_flag("--csv", arguments.csv, "Print the tables of results as CSV")
      ->excludes(json)
      ->excludes(markdown)
      ->excludes(dry_run);
  command
      .add_option("--data", arguments.data, "Folder with graph files; searched before BFSLAB_DATA")
      ->allow_extra_args(false);
  command.add_option("--cache", arguments.cache,
                     "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)");
  add_plugin_option(command);
  add_fetch_options(command, arguments.fetch, /*tuning=*/true);
  return fresh;
}

int run_specs(const RunArguments& arguments, std::vector<Spec> specs, const ResultTable& table) {
  RunOptions options;
  options.results = results_folder(arguments.results);
  const Shard shard = Shard::parse(arguments.shard);
  options.fresh = arguments.fresh;
  options.wait_for_idle = arguments.wait_for_idle;
  options.sync_interval_s = arguments.sync_interval_s;
  options.retry = failures_named(arguments.retry);
  options.cache_folder = cache_folder(arguments.cache);
  options.data_folders = data_folders(arguments.data, options.cache_folder);
  options.arguments = command_line();
  options.launcher = Launcher::chosen(arguments.launcher);

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
  return run_experiments(arguments, specs, plans, options, table, interrupts, progress);
}

}  // namespace bfslab
