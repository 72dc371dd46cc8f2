// SPDX-License-Identifier: Apache-2.0
// bfslab graph500: the benchmark of Graph500 (graph500-romeo, section 3.3) by any engine that
// writes parents: a Kronecker graph, 64 searches from random vertices with an edge, each tree
// validated, and the statistics that the list asks for. It runs as a separate experiment, so that
// limits, ranks, launchers and resuming are those of `bfslab run`, and the rows are kept.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/analyse/statistics.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/run_experiment.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab {

namespace {

struct Graph500Arguments {
  unsigned scale = 20;
  unsigned edge_factor = 16;
  unsigned roots = 64;
  std::uint64_t seed = 1;
  std::string engine = "hybrid";
  std::vector<std::string> set;
  unsigned ranks = 1;
  unsigned gpus_per_rank = 1;
  std::string results;
  std::string launcher;
  bool fresh = false;
  bool quiet = false;
  bool json = false;
};

constexpr const char* kGraph500Footer = R"(Examples:
  bfslab graph500 --scale 20
  bfslab graph500 --scale 20 --engine delegate --ranks 2 --set threshold=32
  bfslab graph500 --scale 22 --engine grid2d --ranks 4 --launcher 'srun -n {ranks} {command}'

The graph is generated untimed where an engine is given it, and construction_time is what building
it and loading the engine take; engines that make their own parts generate them in it. Edges are
counted as Graph500 does: the generated tuples in the component of the root, repetitions and
self-loops included. A search that something else disturbed is repeated, and counts as it was when
undisturbed. Quartiles interpolate linearly between searches.

Exit codes: 0 every search was validated, 1 one was wrong or failed, 2 bad input, 130 interrupted:
the same command continues from there.)";

nlohmann::json toggle_value(const std::string& text) {
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

std::string spec_text(const Graph500Arguments& arguments) {
  nlohmann::ordered_json base = {{"engine", arguments.engine}};
  for (const std::string& setting : arguments.set) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos || at == 0) {
      throw InputError(fmt::format("--set {}: expected TOGGLE=VALUE, as in threshold=32", setting));
    }
    base[setting.substr(0, at)] = toggle_value(setting.substr(at + 1));
  }
  if (arguments.ranks > 1) base["ranks"] = arguments.ranks;
  if (arguments.gpus_per_rank > 1) base["gpus_per_rank"] = arguments.gpus_per_rank;
  const nlohmann::ordered_json spec = {
      {"name", fmt::format("graph500-{}-scale-{}", arguments.engine, arguments.scale)},
      {"title", "Graph500"},
      {"graphs",
       {fmt::format("kronecker:scale={},edge_factor={},seed={}", arguments.scale,
                    arguments.edge_factor, arguments.seed)}},
      {"sources", {{"count", arguments.roots}, {"seed", arguments.seed}, {"rule", "degree>=1"}}},
      {"answer", "parents"},
      {"check", "all"},
      {"base", base},
      {"record", {"time"}}};
  return spec.dump(2);
}

using Json = nlohmann::ordered_json;

// Adds "min_time", "firstquartile_time" and so on.
void add_quartiles(const std::string& what, const std::vector<double>& values, Json& block) {
  block["min_" + what] = std::ranges::min(values);
  block["firstquartile_" + what] = quantile(values, 0.25);
  block["median_" + what] = quantile(values, 0.5);
  block["thirdquartile_" + what] = quantile(values, 0.75);
  block["max_" + what] = std::ranges::max(values);
}

// Returns the block that the list asks for, in its words. `rows` is not empty.
Json block_of(const Graph500Arguments& arguments, const std::vector<RunRow>& rows, double load_s) {
  std::vector<double> times;
  std::vector<double> edges;
  std::vector<double> rates;
  std::vector<double> inverse;
  for (const RunRow& row : rows) {
    times.push_back(row.time_ms.value_or(0) / 1000);
    edges.push_back(static_cast<double>(row.component_input_edges.value_or(0)));
    rates.push_back(edges.back() / times.back());
    inverse.push_back(times.back() / edges.back());
  }
  Json block = {{"SCALE", arguments.scale},
                {"edgefactor", arguments.edge_factor},
                {"NBFS", rows.size()},
                {"num_mpi_processes", arguments.ranks},
                {"construction_time", load_s + rows.front().setup_ms.value_or(0) / 1000}};
  add_quartiles("time", times, block);
  block["mean_time"] = mean_of(times);
  block["stddev_time"] = deviation_of(times);
  add_quartiles("nedge", edges, block);
  block["mean_nedge"] = mean_of(edges);
  block["stddev_nedge"] = deviation_of(edges);
  add_quartiles("TEPS", rates, block);
  // Rates over equal work are averaged harmonically; their deviation is that of the inverses.
  const double mean_inverse = mean_of(inverse);
  const auto searches = static_cast<double>(rows.size());
  block["harmonic_mean_TEPS"] = 1 / mean_inverse;
  block["harmonic_stddev_TEPS"] =
      rows.size() < 2
          ? 0
          : deviation_of(inverse) / (std::sqrt(searches - 1) * mean_inverse * mean_inverse);
  return block;
}

void print_block(const Json& block) {
  for (const auto& [key, value] : block.items()) {
    const std::string text =
        value.is_number_float() ? fmt::format("{:.17g}", value.get<double>()) : value.dump();
    fmt::print("{:<32}{}\n", key + ":", text);
  }
}

// The benchmark times one search at a time, each to its end.
void require_whole_single_searches(const Spec& spec) {
  for (const Configuration& each : spec.configurations) {
    if (batch_of(each.toggles) > 1) {
      throw InputError(fmt::format(
          "--set batch={}: Graph500 times one search at a time; leave batch at 1, or name it in a "
          "spec for `bfslab run`",
          batch_of(each.toggles)));
    }
    if (depth_limit_of(each.toggles) != kNoDepthLimit) {
      throw InputError(fmt::format(
          "--set depth_limit={}: a Graph500 search reaches the whole component; leave depth_limit "
          "at 0, or name it in a spec for `bfslab run`",
          depth_limit_of(each.toggles)));
    }
  }
}

struct Searches {
  std::vector<RunRow> good;                                // validated
  std::map<std::string, std::vector<std::string>> failed;  // the failure -> its roots
  std::size_t polluted = 0;                                // of the good ones
};

Searches read_searches(const std::string& folder) {
  Searches found;
  require_sound_folder(folder);
  const std::string runs = folder + "/runs.csv";
  for (RunRow& row : counted_rows(read_rows<RunRow>(read_file(runs), runs, Damage::refuse))) {
    if (row.status != Status::ok) {
      found.failed[fmt::format("{}: {}", to_text(row.status), row.reason)].push_back(
          row.source ? fmt::format("root {}", *row.source) : "all roots");
    } else if (row.validated) {
      found.polluted += row.polluted ? 1 : 0;
      found.good.push_back(std::move(row));
    }
  }
  return found;
}

int run_benchmark(const Graph500Arguments& arguments) {
  const Spec spec = parse_spec(spec_text(arguments), "bfslab graph500");
  if (spec.configurations.front().engine->counts()) {
    throw InputError(
        fmt::format("--engine {}: counts facts of a graph and searches none", arguments.engine));
  }
  require_whole_single_searches(spec);
  RunOptions options;
  options.results = results_folder(arguments.results);
  options.fresh = arguments.fresh;
  options.arguments = command_line();
  options.launcher = Launcher::chosen(arguments.launcher);
  if (arguments.ranks > 1) options.launcher.require();
  // No cache is used, since construction is timed.
  const Interrupts interrupts;
  Progress progress(arguments.quiet);
  ExperimentOutcome outcome;
  try {
    outcome = run_experiment(spec, make_plan(spec, {}, {}), options, interrupts, progress);
  } catch (const Interrupted& interruption) {
    progress.finish();
    progress.warn(fmt::format(
        "bfslab: {}; all finished rows are kept, and the same command continues from there",
        interruption.what()));
    return 130;
  } catch (...) {
    progress.finish();
    throw;
  }
  const Searches searches = read_searches(outcome.path);
  const auto& [good, failed, polluted] = searches;
  for (const auto& [what, roots] : failed) {
    const std::string more = roots.size() > 1 ? fmt::format(" and {} more", roots.size() - 1) : "";
    progress.warn(fmt::format("{}{}: {}", roots.front(), more, what));
  }
  if (outcome.bad_input) return 2;
  if (!failed.empty() || good.empty()) {
    progress.warn("not every search was validated, so there is no result");
    return 1;
  }
  if (polluted > 0) {
    progress.warn(fmt::format("{} of the {} searches are polluted: {}", polluted, good.size(),
                              std::ranges::find_if(good, &RunRow::polluted)->reason));
  }
  const std::string file = outcome.path + "/graphs.csv";
  const auto graphs = read_rows<GraphRow>(read_file(file), file, Damage::refuse);
  Json block =
      block_of(arguments, good, graphs.empty() ? 0 : graphs.front().load_ms.value_or(0) / 1000);
  if (arguments.json) {
    block["engine"] = arguments.engine;
    block["polluted"] = polluted;
    block["rows"] = outcome.path;
    print_json(block);
  } else {
    print_block(block);
  }
  return 0;
}

}  // namespace

void add_graph500_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("graph500", "The Graph500 benchmark, by any engine");
  auto arguments = std::make_shared<Graph500Arguments>();
  command->add_option("--scale", arguments->scale, "The graph has 2^SCALE vertices")
      ->required()
      ->check(CLI::Range(1, 31));
  command->add_option("--edgefactor", arguments->edge_factor, "Generated edges for each vertex")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--roots", arguments->roots, "Searches, each from another vertex")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of the graph and of the roots")
      ->capture_default_str();
  command->add_option("--engine", arguments->engine, "As in `bfslab list engines`")
      ->capture_default_str();
  command->add_option("--set", arguments->set, "A toggle of the engine: threshold=32")
      ->allow_extra_args(false);
  command->add_option("--ranks", arguments->ranks, "Processes of a distributed engine")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      ->add_option("--gpus-per-rank", arguments->gpus_per_rank,
                   "GPUs of each, or on CPUs the threads that stand for them")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--results", arguments->results,
                      "Folder for the experiment's folder (default: $BFSLAB_RESULTS, else "
                      "results/<host name>)");
  command->add_option("--launcher", arguments->launcher,
                      fmt::format("Command that starts ranks (default: $BFSLAB_LAUNCHER, else "
                                  "\"{}\"): docs/distributed.md",
                                  Launcher::kDefault));
  command->add_flag("--fresh", arguments->fresh, "Move earlier rows aside and start again");
  command->add_flag("--quiet", arguments->quiet, "Print failures and warnings only");
  command->add_flag("--json", arguments->json, "Print the result as JSON: docs/scripts.md");
  command->footer(kGraph500Footer);
  command->callback([arguments, &exit_code] { exit_code = run_benchmark(*arguments); });
}

}  // namespace bfslab
