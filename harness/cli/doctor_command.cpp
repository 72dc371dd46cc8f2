// SPDX-License-Identifier: Apache-2.0
// bfslab doctor: examines whether this machine is fit to measure on, or whether the experiments in
// folders of results agree with one another.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "harness/analyse/self_agreement.hpp"
#include "harness/analyse/summary.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/observe/fitness.hpp"
#include "harness/observe/processor.hpp"
#include "harness/record/build_info.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

struct DoctorArguments {
  std::vector<std::string> results;
  std::string known;
  double limit_pct = 25;
  bool json = false;
};

constexpr const char* kKnownFile = "known_disagreements.json";

constexpr const char* kDoctorFooter = R"(Examples:
  bfslab doctor                     is this machine fit to measure on?
  bfslab doctor results             do these results agree with themselves?
  bfslab doctor results/h200 --limit 10 --json

Without a folder it examines the machine: the load of other programs, the time that the host of a
virtual machine takes, governor, SMT, limits of a container, and whether a fixed calibration takes
the same time five times. For each GPU it reports clocks, throttling, power limit, persistence mode,
ECC, MIG and other users.

With folders it reports polluted times, the number of GPUs that were used, and disagreements: two
experiments of one machine that measured one configuration (graph, engine, all toggles) with times
that differ by more than the limit. A disagreement that RESULTS/known_disagreements.json explains is
shown with its reason and does not count; an explanation without a disagreement does.

Exit codes: 0 fit, or the results agree; 1 not; 2 bad input.)";

// Warns of a program that was compiled for another CPU, which can halve the speed of CPU engines.
Finding instruction_set() {
  const BuildInfo& build = build_info();
  const char* what = "instruction set";
  if (build.native_cpu.empty()) {
    return {Finding::Grade::advice, what, "bfslab was compiled for no CPU in particular",
            "for times of engines on the CPU configure it with -DBFSLAB_NATIVE=ON"};
  }
  const std::string another = compiled_for_another_cpu();
  if (another.empty()) {
    return {Finding::Grade::good, what,
            fmt::format("bfslab was compiled for this CPU ({})", build.native_target), ""};
  }
  return {Finding::Grade::advice, what,
          fmt::format("bfslab was compiled for another CPU, {}; this is {}", another,
                      processor_signature()),
          "for times of engines on the CPU build it on this machine"};
}

int print_machine(bool as_json) {
  std::vector<Finding> findings = examine_machine({});
  findings.push_back(instruction_set());
  const bool unfit = std::ranges::any_of(
      findings, [](const Finding& each) { return each.grade == Finding::Grade::unfit; });
  if (as_json) {
    Json list = Json::array();
    for (const Finding& each : findings) {
      list.push_back({{"grade", to_text(each.grade)},
                      {"what", each.what},
                      {"state", each.state},
                      {"cure", each.cure}});
    }
    print_json(Json{{"fit", !unfit}, {"findings", list}});
  } else {
    Rows rows;
    for (const Finding& each : findings) {
      rows.push_back({to_text(each.grade), each.what,
                      each.state + (each.cure.empty() ? "" : "; " + each.cure)});
    }
    print_table(rows, 0);
    fmt::print("\n{}\n", unfit ? "This machine is not fit to measure on now."
                               : "Nothing speaks against measuring here.");
  }
  return unfit ? 1 : 0;
}

// Reads the explanations in the file of the option, or in the files of the folders of results.
std::vector<KnownDisagreement> known_of(const DoctorArguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& folder : arguments.results) {
    const std::string file = (std::filesystem::path(folder) / kKnownFile).string();
    if (std::filesystem::exists(file)) files.push_back(file);
  }
  if (!arguments.known.empty()) files = {arguments.known};
  std::vector<KnownDisagreement> all;
  for (const std::string& file : files) {
    if (!std::filesystem::exists(file)) throw InputError(fmt::format("{}: no such file", file));
    for (KnownDisagreement& each : parse_known(read_file(file), file)) all.push_back(each);
  }
  return all;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string head_of(const Disagreement& each) {
  return fmt::format(
      "{}: {}, {} and {}: {} by up to {} times (geometric mean over sources)", each.machine,
      each.engine, each.a->name, each.b->name,
      counted(each.configurations, "configuration that differs", "configurations that differ"),
      three_digits(each.factor));
}

using NamesByCpu = std::map<std::string, std::set<std::string>>;

// Returns, for each machine, its CPUs and the experiments with rows of each.
std::map<std::string, NamesByCpu> cpus_of(const std::vector<Experiment>& experiments) {
  std::map<std::string, NamesByCpu> cpus;
  for (const Experiment& each : experiments) {
    if (!each.cpu.empty()) cpus[each.machine][each.cpu].insert(each.name);
  }
  return cpus;
}

// How many experiments of each machine have rows without seals.
std::map<std::string, std::size_t> unsealed_of(const std::vector<Experiment>& experiments) {
  std::map<std::string, std::size_t> unsealed;
  for (const Experiment& each : experiments) {
    if (!each.sealed) ++unsealed[each.machine];
  }
  return unsealed;
}

Json json_of(const std::vector<Experiment>& experiments, const SelfAgreement& found,
             const std::vector<std::string>& stale, bool agrees) {
  Json disagreements = Json::array();
  for (const Disagreement& each : found.disagreements) {
    disagreements.push_back({{"machine", each.machine},
                             {"engine", each.engine},
                             {"experiments", {each.a->name, each.b->name}},
                             {"commits", {each.a->commit, each.b->commit}},
                             {"configurations", each.configurations},
                             {"factor", each.factor},
                             {"worst", each.worst},
                             {"builds", each.builds},
                             {"environment", each.environment},
                             {"known", each.known}});
  }
  Json caveats_of = Json::object();
  for (const Experiment& each : experiments) {
    if (auto lines = caveats(each); !lines.empty()) {
      caveats_of[fmt::format("{}/{}", each.machine, each.name)] = lines;
    }
  }
  return {{"agree", agrees},
          {"experiments", experiments.size()},
          {"pairs", found.pairs},
          {"disagreements", disagreements},
          {"answers", found.answers},
          {"unused_explanations", stale},
          {"caveats", caveats_of},
          {"cpus", cpus_of(experiments)},
          {"unsealed", unsealed_of(experiments)}};
}

// One folder, several CPUs: their times are no times of one machine.
void print_cpus(const std::vector<Experiment>& experiments) {
  for (const auto& [machine, cpus] : cpus_of(experiments)) {
    if (cpus.size() < 2) continue;
    const auto most = std::ranges::max_element(
        cpus, {}, [](const auto& names_of_one) { return names_of_one.second.size(); });
    std::string lines = fmt::format("{}: rows of {} different CPUs\n", machine, cpus.size());
    for (auto one = cpus.begin(); one != cpus.end(); ++one) {
      lines += fmt::format("  {}: {}\n", one->first,
                           one == most ? counted(one->second.size(), "experiment", "experiments")
                                       : fmt::format("{}", fmt::join(one->second, ", ")));
    }
    fmt::print("{}", printable_lines(lines));
  }
}

void print_unsealed(const std::vector<Experiment>& experiments) {
  std::vector<std::string> counts;
  for (const auto& [machine, count] : unsealed_of(experiments)) {
    counts.push_back(
        fmt::format("{} of {}", counted(count, "experiment", "experiments"), printable(machine)));
  }
  if (counts.empty()) return;
  fmt::print("rows without seals, as older versions wrote them: {}\n", fmt::join(counts, ", "));
}

void print_devices(const std::vector<Experiment>& experiments) {
  std::map<std::string, UsedGpus> gpus;
  std::map<std::string, std::size_t> counts;
  for (const Experiment& each : experiments) {
    ++counts[each.machine];
    gpus[each.machine].add(each.gpus);
  }
  for (const auto& [machine, devices] : gpus) {
    fmt::print("{}: {}", machine, counted(counts.at(machine), "experiment", "experiments"));
    if (devices.names.size() == 1) {
      fmt::print(", one GPU: {}", *devices.names.begin());
    } else if (!devices.names.empty()) {
      fmt::print(", {} {}: {}", devices.names.size(),
                 devices.differ() ? "different GPUs" : "GPUs together",
                 fmt::join(devices.names, ", "));
    }
    fmt::print("\n");
  }
}

// Lists the explanations of disagreements that the experiments of their machines do not have.
std::vector<std::string> unused_explanations(const std::vector<KnownDisagreement>& known,
                                             const std::vector<Experiment>& experiments) {
  std::vector<std::string> unused;
  for (const KnownDisagreement& each : known) {
    const bool here = std::ranges::any_of(experiments, [&](const Experiment& experiment) {
      return experiment.machine == each.machine;
    });
    if (each.used || !here) continue;
    unused.push_back(fmt::format("{}, {}, {}: {}", each.machine, each.engine,
                                 fmt::join(each.experiments, " and "), each.reason));
  }
  return unused;
}

void print_disagreements(const SelfAgreement& found, const char* heading, bool known) {
  bool first = true;
  for (const Disagreement& each : found.disagreements) {
    if (each.known.empty() == known) continue;
    if (std::exchange(first, false)) fmt::print("\n{}\n", heading);
    std::string lines = fmt::format("  {}\n    {}\n", head_of(each), each.worst);
    if (!each.builds.empty()) {
      lines += fmt::format("    the program was not the same: {}\n", each.builds);
    }
    if (!each.environment.empty()) {
      lines += fmt::format("    from one to the other, {}\n", each.environment);
    }
    if (known) lines += fmt::format("    known: {}\n", each.known);
    fmt::print("{}", printable_lines(lines));
  }
}

int print_results(const DoctorArguments& arguments) {
  std::vector<Experiment> experiments;
  for (const std::string& path : arguments.results) {
    for (Experiment& each : read_results(path)) experiments.push_back(std::move(each));
  }
  std::vector<KnownDisagreement> known = known_of(arguments);
  const SelfAgreement found = examine(experiments, arguments.limit_pct, known);
  const std::vector<std::string> stale = unused_explanations(known, experiments);
  const auto unknown = static_cast<std::size_t>(std::ranges::count_if(
      found.disagreements, [](const Disagreement& each) { return each.known.empty(); }));
  const bool agrees = unknown == 0 && found.answers.empty() && stale.empty();
  if (arguments.json) {
    print_json(json_of(experiments, found, stale, agrees));
    return agrees ? 0 : 1;
  }
  print_devices(experiments);
  print_cpus(experiments);
  print_unsealed(experiments);
  for (const Experiment& each : experiments) {
    for (const std::string& line : caveats(each)) {
      fmt::print("{}", printable_lines(fmt::format("{}/{}: {}\n", each.machine, each.name, line)));
    }
  }
  print_disagreements(found, "Known disagreements:", true);
  print_disagreements(found, "Experiments that disagree:", false);
  for (const std::string& line : found.answers) {
    fmt::print("{}",
               printable_lines(fmt::format("\nThe answers contradict each other: {}\n", line)));
  }
  for (const std::string& line : stale) {
    fmt::print("\nAn explanation that explains nothing, to be removed: {}\n", printable(line));
  }
  fmt::print(
      "\n{}, {} compared, limit {} %: {}\n",
      counted(experiments.size(), "experiment", "experiments"),
      counted(found.pairs, "pair of equal configurations", "pairs of equal configurations"),
      arguments.limit_pct,
      agrees
          ? (found.disagreements.empty() ? "all agree" : "all others agree")
          : fmt::format("disagreements: {}, answers that contradict others: {}, explanations that "
                        "explain nothing: {}",
                        unknown, found.answers.size(), stale.size()));
  return agrees ? 0 : 1;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Examine this machine, or whether recorded results agree with themselves");
  auto arguments = std::make_shared<DoctorArguments>();
  command->add_option("RESULTS", arguments->results,
                      "Folders of results; without one, the machine is examined");
  command
      ->add_option("--limit", arguments->limit_pct,
                   "Difference in percent that equal configurations may have")
      ->check(real_range(0.0, 1000.0))
      ->type_name("PCT")
      ->capture_default_str();
  command->add_option("--known", arguments->known,
                      "File with explained disagreements (default: known_disagreements.json in "
                      "the folders of results)");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kDoctorFooter);
  command->callback([arguments, &exit_code] {
    exit_code =
        arguments->results.empty() ? print_machine(arguments->json) : print_results(*arguments);
  });
}

}  // namespace bfslab
