// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_experiment.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <set>

#include "harness/observe/gpu_watch.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/record/build_info.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/results_directory.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/graph_sweep.hpp"

namespace bfslab {

namespace {

// Counts every row that counts, including those of earlier runs: "1536 ok, 3 timeout, 120 skipped".
std::string tally(const Journal& journal) {
  std::string text;
  for (const Status status :
       {Status::ok, Status::wrong, Status::crash, Status::timeout, Status::oom, Status::unsupported,
        Status::skipped, Status::interrupted}) {
    if (journal.count(status) == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", journal.count(status), to_text(status));
  }
  if (journal.polluted() > 0) {
    text +=
        fmt::format("; {} of {} timed trials are polluted", journal.polluted(), journal.timed());
  }
  return text.empty() ? "no trials" : text;
}

// Writes left_out.csv: the combinations that "illegal": "skip" leaves out.
void record_left_out(const Spec& spec, const std::string& folder, Progress& progress) {
  if (spec.left_out.empty()) return;
  std::string table = csv_row({"case", "engine", "toggles", "reason"});
  for (const LeftOut& each : spec.left_out) {
    table += csv_row({each.configuration.case_name, each.configuration.engine->name,
                      each.configuration.text(), each.reason});
  }
  write_file_atomically(folder + "/left_out.csv", table);
  for (const std::string& line : left_out_lines(spec)) progress.step(line);
}

// Warns of others that use the GPUs that the plan needs, and waits for them if that is wanted.
void watch_gpus(const Spec& spec, const std::vector<TrialGroup>& plan, bool wait,
                const Interrupts& interrupts, Progress& progress) {
  const bool needed = std::ranges::any_of(plan, [&](const TrialGroup& group) {
    return std::ranges::any_of(group.configurations, [&](std::size_t c) {
      return spec.configurations[c].engine->can.gpu;
    });
  });
  if (!needed) return;
  std::vector<std::string> before;
  while (true) {
    const std::vector<std::string> in_use = gpus_in_use();
    if (in_use.empty()) return;
    if (before.empty()) {
      for (const std::string& line : in_use) {
        progress.warn(fmt::format("{}: the GPU is shared: {}{}", spec.name, line,
                                  wait ? "; waiting until it is idle" : ""));
      }
    }
    if (!wait) return;
    before = in_use;
    pollfd signal{interrupts.fd(), POLLIN, 0};
    ::poll(&signal, 1, 500);
    interrupts.poll();
  }
}

// Reports what the folder held and what became of it.
void report_folder(const Spec& spec, const ResultsDirectory& results, Progress& progress) {
  if (!results.moved_to().empty()) {
    progress.warn(fmt::format("earlier rows were moved to {}", results.moved_to()));
  }
  if (results.resumed()) {
    progress.step(fmt::format(
        "{}: resuming, {} rows exist{}", spec.name, results.rows_found(),
        results.lines_trimmed() > 0
            ? fmt::format(" (torn last lines that were trimmed: {})", results.lines_trimmed())
            : std::string()));
  }
  for (const KeptAside& each : results.kept_aside()) {
    const bool one = each.rows == 1;
    progress.step(fmt::format("{}: {} row{} of {} belong{} to no finished trial, and {} kept in {}",
                              spec.name, each.rows, one ? "" : "s", each.table, one ? "s" : "",
                              one ? "is" : "are", each.file));
  }
  if (!results.grown_from().empty()) {
    progress.warn(fmt::format(
        "{}: the spec has changed from {} to {}: its rows stay, what is missing is added, and "
        "spec.json is the present one",
        spec.name, results.grown_from(), spec.hash));
  }
  if (!results.upgraded().empty()) {
    progress.step(fmt::format(
        "{}: {} had the columns of an older version, and have the present ones, and seals",
        spec.name, fmt::join(results.upgraded(), ", ")));
  }
  if (results.unpacked()) {
    progress.step(fmt::format("{0}: its tables were packed; `bfslab pack {1}` packs them again",
                              spec.name, results.path()));
  }
  std::set<std::string> environments = results.environments_found();
  environments.insert(results.environment());
  if (environments.size() > 1) {
    progress.warn(fmt::format(
        "{}: rows of {} sets of processors or GPUs: see column environment, and environment.json",
        spec.name, environments.size()));
  }
  if (results.trials_reopened() > 0) {
    progress.step(fmt::format("{}: {} trials that failed or were skipped are run again", spec.name,
                              results.trials_reopened()));
  }
}

// Warns of rows that an earlier file of a plugin, or an earlier bfslab, has left: they stay.
void report_plugins(const Spec& spec, const ResultsDirectory& results, const std::string& program,
                    Progress& progress) {
  std::vector<std::string> files;
  for (const Plugin& plugin : plugins()) files.push_back(plugin.file);
  const bool others = std::ranges::any_of(
      results.builds(), [&](const auto& build) { return build.first != program; });
  if (files.empty() || !others) return;
  progress.warn(fmt::format(
      "{}: it has rows of another {}, or of another bfslab: they stay, and only missing trials are "
      "run; --fresh measures all again",
      spec.name, fmt::join(files, " or ")));
}

// Reports the state of all trials, and the builds that rows come from if there are several.
void report_rows(const Spec& spec, const ResultsDirectory& results, Progress& progress) {
  if (results.builds().size() > 1) {
    std::vector<std::string> builds;
    for (const auto& [hash, commit] : results.builds()) {
      builds.push_back(fmt::format("{} ({})", hash, commit.empty() ? "unknown" : commit));
    }
    progress.warn(fmt::format("{}: rows of {} builds: {}; see environment.json", spec.name,
                              builds.size(), fmt::join(builds, ", ")));
  }
  const std::string line = fmt::format("{}: {}", spec.name, tally(results.journal()));
  results.journal().polluted() > 0 ? progress.warn(line) : progress.step(line);
}

}  // namespace

ExperimentOutcome run_experiment(const Spec& spec, const std::vector<TrialGroup>& plan,
                                 const RunOptions& options, const Interrupts& interrupts,
                                 Progress& progress) {
  const bool launches =
      std::ranges::any_of(plan, [](const TrialGroup& group) { return group.ranks > 1; });
  const RunIdentity identity{spec.file, spec.hash, program_hash(), options.arguments,
                             launches ? options.launcher.text() : std::string()};
  ResultsDirectory results({.root = options.results,
                            .spec = spec,
                            .identity = identity,
                            .fresh = options.fresh,
                            .sync_interval_s = options.sync_interval_s,
                            .retry = options.retry});
  report_folder(spec, results, progress);
  report_plugins(spec, results, identity.build_hash, progress);
  watch_gpus(spec, plan, options.wait_for_idle, interrupts, progress);
  record_left_out(spec, results.path(), progress);
  for (const TrialGroup& group : plan) progress.plan(planned_trials(spec, group));

  ExperimentOutcome outcome{.path = results.path()};
  Agreement agreement;
  agreement.add_rows(read_file(results.path() + "/runs.csv"));
  agreement.add_others(options.results, spec.name);
  SweepContext context{.spec = spec,
                       .results = results,
                       .interrupts = interrupts,
                       .progress = progress,
                       .data_folders = options.data_folders,
                       .cache_folder = options.cache_folder,
                       .build_hash = identity.build_hash,
                       .commit = commit_mark(std::string(build_info().commit), build_info().dirty),
                       .unavailable = options.unavailable,
                       .launcher = options.launcher,
                       .agreement = agreement};
  for (const TrialGroup& group : plan) {
    interrupts.poll();
    const SweepOutcome swept = GraphSweep(context, group).run();
    outcome.bad_input |= swept.bad_input;
    outcome.no_sources |= swept.no_sources;
    outcome.incomplete |= swept.incomplete;
    outcome.wrong |= swept.wrong_elsewhere;
  }
  results.finish();
  progress.finish();
  outcome.wrong |= results.journal().count(Status::wrong) > 0;
  report_rows(spec, results, progress);
  return outcome;
}

}  // namespace bfslab
