// SPDX-License-Identifier: Apache-2.0
// bfslab check SPEC...: validates, expands and estimates specs, and runs nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "datasets/text/printable.hpp"
#include "harness/cli/check_json.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/spec_needs.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/cli/units_text.hpp"
#include "harness/observe/nvml.hpp"
#include "harness/spec/spec.hpp"
#include "harness/spec/stand_ins.hpp"

namespace bfslab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kShownConfigurations = 24;

struct CheckArguments {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  std::vector<std::string> data;
  std::string cache;
  bool schema = false;
  bool resolved = false;
  bool all = false;
  bool json = false;
  bool allow_stand_ins = false;
  FetchArguments fetch;
};

double machine_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Returns the memory of the largest GPU; 0 if it is unknown.
double gpu_bytes_here() {
  double largest = 0;
  for (const nvml::Gpu& gpu : nvml::report().value_or(nvml::Report{}).gpus) {
    largest = std::max(largest, static_cast<double>(gpu.memory_bytes.value_or(0)));
  }
  return largest;
}

// Returns the number of sources: "4 to 16" if a graph has fewer than the others.
std::string sources_text(const Spec& spec) {
  std::uint32_t least = spec.sources.count;
  std::uint32_t most = 0;
  for (const GraphEntry& graph : spec.graphs) {
    const std::uint32_t count = spec.source_count(graph);
    least = std::min(least, count);
    most = std::max(most, count);
  }
  return (least < most ? grouped(least) + " to " : "") + grouped(most) +
         (spec.sources.listed.empty() && spec.sources.ids.empty() ? "" : " listed");
}

std::string repeats_text(const RepeatRule& repeats) {
  if (repeats.minimum == repeats.maximum) return grouped(repeats.maximum);
  return fmt::format("{} to {}", grouped(repeats.minimum), grouped(repeats.maximum));
}

std::string trials_text(const Spec& spec, const SpecCost& cost) {
  std::vector<std::string> parts;
  if (spec.record_time && spec.traverses()) {
    std::string count = grouped(cost.timed_trials_max);
    if (cost.timed_trials_min != cost.timed_trials_max) {
      count = grouped(cost.timed_trials_min) + " to " + count;
    }
    parts.push_back(count + " timed");
  }
  if (spec.record_levels && spec.traverses()) {
    parts.push_back(grouped(cost.instrumented_trials) + " instrumented");
  }
  if (spec.record_energy && spec.traverses()) {
    parts.push_back(grouped(cost.energy_trials) + " for energy");
  }
  const std::size_t counters = cost.counts / std::max<std::size_t>(1, spec.graphs.size());
  std::string on_graphs;
  if (spec.traverses()) {
    on_graphs = fmt::format("{} graphs x {} configurations x {} sources x {} repeats",
                            spec.graphs.size(), spec.configurations.size() - counters,
                            sources_text(spec), repeats_text(spec.repeats));
  }
  if (counters > 0) {
    parts.push_back(grouped(cost.counts) + " counted");
    if (!on_graphs.empty()) on_graphs += "; ";
    on_graphs += fmt::format("{} graphs x {} counters", spec.graphs.size(), counters);
  }
  return fmt::format("{} ({})", fmt::join(parts, " + "), on_graphs);
}

void print_graphs_of(const Spec& spec, const SpecNeeds& needs) {
  const SpecCost& cost = needs.cost;
  Rows rows{{"graph", "vertices", "edges <=", "CSR", "engines", "time"}};
  for (std::size_t i = 0; i < spec.graphs.size(); ++i) {
    const GraphCost& graph = cost.graphs[i];
    const std::string& name = spec.graphs[i].text;
    if (!graph.known) {
      rows.push_back({name, "?", "?", "?", "?", "?"});
      continue;
    }
    if (!needs.anything_runs()) {  // configurations that cannot run cost nothing here, but not
                                   // elsewhere
      rows.push_back(
          {name, grouped(graph.facts.vertices), grouped(graph.facts.edges), "-", "-", "-"});
      continue;
    }
    rows.push_back({name, grouped(graph.facts.vertices), grouped(graph.facts.edges),
                    spec.needs_csr(spec.graphs[i]) ? bytes_text(graph.graph_bytes) : "not built",
                    bytes_text(graph.engine_bytes + graph.gpu_bytes),
                    time_text(graph.seconds.most)});
  }
  print_table(rows, 2, {1, 2, 3, 4, 5});
  for (std::size_t i = 0; i < spec.graphs.size(); ++i) {
    if (!needs.graphs[i].published) continue;
    fmt::print("  {}\n", printable(spec.graphs[i].text + ": counts as published"));
  }
  for (const GraphEntry& graph : spec.graphs) {
    if (graph.stand_in_for.empty()) continue;
    fmt::print("  {}\n", printable(graph.text + " stands in for " + graph.stand_in_for));
  }
}

void print_configurations(const Spec& spec, bool all) {
  Rows rows{{"case", "engine", "toggles"}};
  for (const Configuration& configuration : spec.configurations) {
    if (!all && rows.size() > kShownConfigurations) break;
    std::string toggles = configuration.text();
    std::replace(toggles.begin(), toggles.end(), ';', ' ');
    rows.push_back({configuration.case_name, configuration.engine->name, toggles});
  }
  const std::size_t left = spec.configurations.size() - (rows.size() - 1);
  print_table(rows, 2);
  if (left > 0) fmt::print("  ... and {} more (--all shows them)\n", left);
}

void print_totals(const Spec& spec, const SpecNeeds& needs) {
  const SpecCost& cost = needs.cost;
  const double largest = needs.memory_bytes();
  const double largest_gpu = needs.gpu_bytes();
  const std::size_t unknown = needs.unknown_sizes();
  const double machine = machine_bytes();
  const std::string rest = unknown == 0 ? ""
                                        : fmt::format(", {} graph{} of unknown size not counted",
                                                      unknown, unknown == 1 ? "" : "s");
  Rows rows;
  rows.push_back({"trials", trials_text(spec, cost)});
  if (!needs.anything_runs()) {
    rows.push_back({"time", "not known: none of its engines can run here"});
    print_table(rows, 2);
    return;
  }
  rows.push_back({"memory", fmt::format("about {} for the largest graph, of {} here{}",
                                        bytes_text(largest), bytes_text(machine), rest)});
  const double gpu = largest_gpu > 0 ? gpu_bytes_here() : 0;
  if (largest_gpu > 0) {
    rows.push_back(
        {"GPU memory",
         fmt::format("about {} for the largest graph, of {} here{}", bytes_text(largest_gpu),
                     gpu > 0 ? bytes_text(gpu) : "an unknown size", rest)});
  }
  rows.push_back(
      {"time", fmt::format("about {} here while nothing else runs, with building, checks and "
                           "recording{}{}",
                           time_text(cost.seconds),
                           needs.fetch.empty() ? "" : ", without downloads", rest)});
  print_table(rows, 2);
  if (largest > machine) {
    fmt::print("  WARNING: {} of memory are needed, and this machine has {}: expect oom rows\n",
               bytes_text(largest), bytes_text(machine));
  } else if (spec.limits.memory_mib != 0 &&
             largest > static_cast<double>(spec.limits.memory_mib) * 1048576) {
    fmt::print(
        "  WARNING: {} of memory are needed, and limits.memory_mib allows {} MiB: expect oom "
        "rows\n",
        bytes_text(largest), spec.limits.memory_mib);
  }
  if (gpu > 0 && largest_gpu > gpu) {
    fmt::print("  WARNING: {} of GPU memory are needed, and the GPU has {}: expect oom rows\n",
               bytes_text(largest_gpu), bytes_text(gpu));
  }
}

void print_spec(const Spec& spec, const SpecNeeds& needs, bool all) {
  std::string heading = spec.file + ": " + spec.name;
  if (!spec.paper.empty()) {
    heading += fmt::format(" ({}{}{})", spec.paper, spec.item.empty() ? "" : ", ", spec.item);
  }
  fmt::print("{}, spec {}\n", printable(heading), spec.hash);
  for (const auto& [engine, reason] : needs.not_here) {
    fmt::print("  CANNOT RUN HERE: {}: {}; its rows will read \"unsupported\"\n", engine,
               printable(reason));
  }
  for (const auto& [graph, reason] : needs.not_made) {
    fmt::print("  CANNOT BE MADE: {}: {}; its rows will read \"skipped\"\n", printable(graph),
               printable(reason));
  }
  print_graphs_of(spec, needs);
  print_configurations(spec, all);
  for (const std::string& line : left_out_lines(spec)) fmt::print("  {}\n", line);
  print_totals(spec, needs);
}

// Prints the specs that were checked, one after the other, or as JSON at the end.
class CheckPrinter {
 public:
  explicit CheckPrinter(const CheckArguments& arguments) : arguments_(arguments) {}

  void print(const Spec& spec, const SpecNeeds& needs, const std::vector<std::string>& stand_ins) {
    if (arguments_.json) {
      specs_.push_back(check_json(spec, needs, stand_ins));
      return;
    }
    if (printed_++ > 0) fmt::print("\n");
    print_spec(spec, needs, arguments_.all);
    for (const std::string& text : stand_ins) fmt::print("  {}\n", printable(text));
    for (const std::string& text : needs.fetch) fmt::print("  {}\n", printable(text));
  }

  void finish(const std::vector<std::string>& errors) const {
    if (!arguments_.json) return;
    const auto bytes = [](double amount) { return static_cast<std::uint64_t>(amount); };
    print_json(nlohmann::ordered_json{
        {"specs", specs_},
        {"machine",
         {{"memory_bytes", bytes(machine_bytes())}, {"gpu_memory_bytes", bytes(gpu_bytes_here())}}},
        {"errors", errors}});
  }

 private:
  const CheckArguments& arguments_;
  std::size_t printed_ = 0;
  nlohmann::ordered_json specs_ = nlohmann::ordered_json::array();
};

void check(const CheckArguments& arguments, int& exit_code) {
  if (arguments.schema) {
    if (!arguments.specs.empty()) throw InputError("--schema takes no specs: it prints the schema");
    fmt::print("{}", spec_schema());
    return;
  }
  if (arguments.specs.empty()) {
    throw InputError("no spec is given: bfslab check SPEC... (bfslab list experiments)");
  }
  Places places;
  places.cache = cache_folder(arguments.cache);
  places.folders = data_folders(arguments.data, places.cache);
  places.fetch = fetch_options(arguments.fetch, places.folders.back());
  std::vector<std::string> overrides = arguments.set;
  if (arguments.allow_stand_ins) overrides.emplace_back("allow_stand_ins=true");
  std::vector<std::string> errors;
  CheckPrinter printer(arguments);
  for (const std::string& path : arguments.specs) {
    try {
      Spec spec = load_spec(path, overrides);
      if (arguments.resolved) {
        fmt::print("{}", spec.canonical);
        continue;
      }
      const std::vector<std::string> stand_ins = use_stand_ins(spec, places.folders);
      const SpecNeeds needs = needs_of(spec, places);
      errors.insert(errors.end(), needs.faults.begin(), needs.faults.end());
      printer.print(spec, needs, stand_ins);
    } catch (const InputError& error) {
      errors.emplace_back(error.what());
    }
  }
  printer.finish(errors);
  if (errors.empty()) return;
  std::fflush(stdout);
  for (const std::string& error : errors) write_stderr(error + '\n');
  exit_code = 2;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Validate specs and estimate what they need, without running them");
  command->add_option("specs", arguments->specs, "Specs (JSON files)")->type_name("SPEC");
  command
      ->add_option("--set", arguments->set,
                   "Change a spec before it is checked: --set repeats=3 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--data", arguments->data, "Folder of data files (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_plugin_option(*command);
  command->add_option("--cache", arguments->cache, "Folder of built graphs")->type_name("DIR");
  command->add_flag("--allow-stand-ins", arguments->allow_stand_ins,
                    "Check as for `bfslab run --allow-stand-ins`");
  add_fetch_options(*command, arguments->fetch, /*tuning=*/false);
  command->add_flag("--all", arguments->all, "Show every configuration");
  auto* json = command->add_flag("--json", arguments->json, "Print it as JSON: docs/scripts.md");
  command
      ->add_flag("--resolved", arguments->resolved,
                 "Print what the specs come to instead, \"extends\" and --set applied")
      ->excludes(json);
  command->add_flag("--schema", arguments->schema, "Print the JSON Schema of specs instead")
      ->excludes(json);
  command->footer(
      "Exit code 2 when a spec is refused; every mistake of every spec is reported.\n"
      "Examples:\n"
      "  bfslab check experiments/cs406/table*.json\n"
      "  bfslab check experiments/quick/engines.json --set 'graphs=[\"kronecker:scale=20\"]'\n"
      "  bfslab check --schema > experiments/spec.schema.json");
  command->callback([arguments, &exit_code] { check(*arguments, exit_code); });
}

}  // namespace bfslab
