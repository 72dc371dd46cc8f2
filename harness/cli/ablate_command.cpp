// SPDX-License-Identifier: Apache-2.0
// bfslab ablate GRAPH... --engine E: measures which of an engine's techniques pay on graphs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/text/spelling.hpp"
#include "harness/analyse/statistics.hpp"
#include "harness/cli/ablate_table.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/direct_spec.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/run_specs.hpp"
#include "harness/cli/spec_needs.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/units_text.hpp"
#include "harness/record/table_file.hpp"
#include "harness/spec/ablation.hpp"

namespace bfslab {

namespace {

constexpr const char* kAblate = "ablate";

struct AblateCommand {
  std::string engine;
  std::string from;
  bool pairs = false;
  double minutes = 0;  // 0: no limit
  DirectArguments direct;
  RunArguments run;
};

constexpr const char* kAblateFooter = R"(Examples:
  bfslab ablate kronecker:scale=16 --engine xbfs-model
  bfslab ablate soc-Epinions1 USA-road-d.NY --engine hybrid --pairs --minutes 10
  bfslab ablate kronecker:scale=20 --engine xbfs --from enterprise --set launch=host
  bfslab ablate kronecker:scale=16 --engine hybrid --spec mine.json --dry-run

From the engine's table of toggles it measures everything on, each flag off, nothing on, each flag
alone, all values of each choice and, with --pairs, every two of these changes together. The table
has the techniques in order of gain. A technique `pays` if the whole interval of its gain, corrected
for the number of techniques, is above 1 (docs/ablate.md). Combinations that the toggles' rules
refuse are left out and named. The same command resumes.

Exit codes are those of `bfslab run`; an engine that cannot run here is refused with 2.)";

void require_preset(const EngineInfo& engine, const std::string& name) {
  std::vector<std::string> names;
  for (const Preset& each : engine.presets) names.push_back(each.name);
  if (std::ranges::find(names, name) != names.end()) return;
  if (names.empty())
    throw InputError(fmt::format("--from {}: {} has no presets", name, engine.name));
  throw InputError(fmt::format("--from: {} has no preset \"{}\"{}; it has {}", engine.name, name,
                               did_you_mean(name, names), fmt::join(names, ", ")));
}

// Returns what every case starts from: the engine, the preset, and the values of --set.
Json base_of(const AblateCommand& arguments, const EngineInfo& engine) {
  Json base = {{"engine", engine.name}};
  if (!arguments.from.empty()) {
    require_preset(engine, arguments.from);
    base["preset"] = arguments.from;
  }
  for (const std::string& text : arguments.direct.set) {
    const DirectSetting setting = parse_setting(text);
    if (!setting.engine.empty() && setting.engine != engine.name) {
      throw InputError(fmt::format("--set {}: --engine names {} alone", text, engine.name));
    }
    if (setting.key == "preset" && !arguments.from.empty()) {
      throw InputError(fmt::format("--set {} beside --from: leave out one of the two", text));
    }
    base[setting.key] = setting.value;
  }
  return base;
}

void add_ablation(const Ablation& ablation, const std::string& engine, Json& spec) {
  spec["title"] = fmt::format("What each technique of {} gains", engine);
  spec["base"] = ablation.base;
  spec["cases"] = Json::object();
  for (const AblationCase& each : ablation.cases) spec["cases"][each.name] = each.settings;
  spec["baseline"] = ablation.cases.front().name;
  spec["figure"] = "technique_gains";
}

void report(const AblateCommand& arguments, const std::string& line) {
  if (!arguments.run.quiet) write_stderr(fmt::format("{}: {}\n", kAblate, line));
}

double estimated_seconds(const AblateCommand& arguments, const Json& json) {
  Places places;
  places.cache = cache_folder(arguments.run.cache);
  places.folders = data_folders(arguments.run.data, places.cache);
  places.fetch = fetch_options(arguments.run.fetch, places.folders.back());
  return needs_of(direct_spec(json, kAblate), places).cost.seconds.most;
}

// Returns the largest number from `low` to `high` that `fits`, or `low` if none does. Fewer fit if
// more do.
template <typename Fits>
unsigned largest(unsigned low, unsigned high, const Fits& fits) {
  while (low < high) {
    const unsigned middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Takes the work of the rows that are there already, so that the same command resumes although its
// estimate has changed: its graphs are then in the cache. Returns false if there are none.
bool take_recorded_work(const AblateCommand& arguments, Json& json) {
  const std::string results = results_folder(arguments.run.results);
  const std::string file =
      (std::filesystem::path(results) / json["name"].get<std::string>() / "spec.json").string();
  if (arguments.run.fresh || !std::filesystem::exists(file)) return false;
  const Json recorded = Json::parse(read_file(file), nullptr, false);
  if (!recorded.is_object()) return false;
  for (const char* key : {"sources", "repeats", "invocations"}) {
    if (recorded.contains(key)) json[key] = recorded[key];
  }
  report(arguments,
         fmt::format("{} has rows: its sources and repeats are kept", json["name"].dump()));
  return true;
}

// Reduces the sources, to those of an interval at least, and then the repeats, until the estimate
// of `check` is within the limit. Throws InputError if it never is.
void fit_into_minutes(const AblateCommand& arguments, Json& json) {
  constexpr double kMinute = 60;
  const double limit = arguments.minutes * kMinute;
  const double whole = estimated_seconds(arguments, json);
  if (whole <= limit) return;
  const auto seconds_of = [&](unsigned sources, unsigned repeats) {
    json["sources"] = {{"count", sources}};
    set_repeats(json, repeats);
    return estimated_seconds(arguments, json);
  };
  const DirectArguments& direct = arguments.direct;
  const unsigned fewest = std::min(direct.sources, static_cast<unsigned>(kFewest));
  const unsigned sources = largest(fewest, direct.sources, [&](unsigned count) {
    return seconds_of(count, direct.repeats) <= limit;
  });
  const unsigned repeats = largest(
      1, direct.repeats, [&](unsigned count) { return seconds_of(sources, count) <= limit; });
  const double least = seconds_of(sources, repeats);
  if (least > limit) {
    throw InputError(fmt::format(
        "--minutes {}: {} cases take about {} even with {} sources and one repeat; allow more, "
        "name fewer graphs, or set some toggles by --set",
        arguments.minutes, json["cases"].size(), time_text(least), sources));
  }
  report(arguments,
         fmt::format("{} sources and {} repeats would take about {}; {} and {} take about {}",
                     direct.sources, direct.repeats, time_text(whole), sources, repeats,
                     time_text(least)));
}

int ablate(const AblateCommand& arguments) {
  const EngineInfo& engine = traversing_engine(arguments.engine);
  Json json = begun_spec(arguments.direct, arguments.run.allow_stand_ins);
  json["base"] = base_of(arguments, engine);
  static_cast<void>(direct_spec(json, kAblate));  // refuses what is misspelt
  const Ablation ablation = ablation_of(engine, json["base"], arguments.pairs);
  if (ablation.techniques.empty()) {
    throw InputError(fmt::format(
        "--engine {}: nothing to take apart: its toggles are numbers, or set by --set; `bfslab "
        "bench --set 'KEY=[1,2]'` sweeps them",
        engine.name));
  }
  add_ablation(ablation, engine.name, json);
  if (arguments.direct.name.empty()) json["name"] = name_by_contents(json, kAblate);
  if (!arguments.run.dry_run) require_engines_here(direct_spec(json, kAblate), kAblate);
  if (arguments.minutes > 0 && !take_recorded_work(arguments, json)) {
    fit_into_minutes(arguments, json);
  }
  const Spec spec = direct_spec(json, kAblate);
  if (!arguments.direct.spec_file.empty()) write_spec(arguments.direct.spec_file, json);
  if (arguments.run.dry_run) {  // otherwise the table has them
    for (const std::string& each : ablation.left_out) report(arguments, "left out: " + each);
  }
  return run_specs(arguments.run, {spec}, ablation_table(ablation));
}

}  // namespace

void add_ablate_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand(kAblate, "Measure which techniques of an engine pay on graphs");
  auto arguments = std::make_shared<AblateCommand>();
  arguments->run.table_first = true;
  add_direct_options(*command, arguments->direct);
  command->add_option("--engine", arguments->engine, "The engine (bfslab list engines)")
      ->required();
  command
      ->add_option("--from", arguments->from,
                   "Preset that gives choices and numbers their first values")
      ->type_name("PRESET");
  command->add_flag("--pairs", arguments->pairs,
                    "Also measure every two changes together: which help or hurt each other");
  command
      ->add_option("--minutes", arguments->minutes,
                   "Reduce sources, then repeats, to about so long (as bfslab check estimates)")
      ->check(real_range(0.1, 100000.0))
      ->type_name("M");
  add_run_options(*command, arguments->run);
  command->footer(kAblateFooter);
  command->callback([arguments, &exit_code] { exit_code = ablate(*arguments); });
}

}  // namespace bfslab
