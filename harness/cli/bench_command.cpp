// SPDX-License-Identifier: Apache-2.0
// bfslab bench GRAPH... --engine E: measures engines on graphs without a spec's file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/text/spelling.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/direct_spec.hpp"
#include "harness/cli/run_specs.hpp"
#include "harness/cli/run_table.hpp"

namespace bfslab {

namespace {

constexpr const char* kBench = "bench";

struct BenchCommand {
  std::vector<std::string> engines;
  DirectArguments direct;
  RunArguments run;
};

constexpr const char* kBenchFooter = R"(Examples:
  bfslab bench kronecker:scale=16 --engine hybrid
  bfslab bench soc-Epinions1 my.el --engine hybrid,top-down --set threads=2
  bfslab bench kronecker:scale=16 --engine hybrid --set 'threads=[1,2]'   a list is swept
  bfslab bench kronecker:scale=20 --engine xbfs --set preset=enterprise --spec mine.json --dry-run

The table has the median time of each engine and graph, its 95 % interval, the rate (edges of the
reached part, each undirected one once), and how many times as fast as the first engine it is. Each
engine warms up, the first answer from each source is validated, and disturbed searches are repeated
(docs/bench.md). The same command resumes, or prints the table again; --fresh measures again.

Exit codes are those of `bfslab run`; an engine that cannot run here is refused with 2.)";

// Puts the settings where a spec has them: a value into `base`, or into the case of its engine; a
// list into `sweep` there.
void add_settings(const BenchCommand& arguments, Json& spec) {
  for (const std::string& text : arguments.direct.set) {
    const DirectSetting setting = parse_setting(text);
    if (!setting.engine.empty() && !spec["cases"].contains(setting.engine)) {
      throw InputError(fmt::format("--set {}: --engine does not name \"{}\"{}", text,
                                   setting.engine,
                                   did_you_mean(setting.engine, arguments.engines)));
    }
    const bool shared = setting.engine.empty();
    Json& place = shared ? spec["base"] : spec["cases"][setting.engine];
    if (setting.value.is_array()) {
      (shared ? spec["sweep"] : place["sweep"])[setting.key] = setting.value;
    } else {
      place[setting.key] = setting.value;
    }
  }
}

Json spec_of(const BenchCommand& arguments) {
  Json spec = begun_spec(arguments.direct, arguments.run.allow_stand_ins);
  spec["base"] = Json::object();
  spec["cases"] = Json::object();
  for (const std::string& name : arguments.engines) {
    if (spec["cases"].contains(name)) {
      throw InputError(fmt::format("--engine names \"{}\" twice", name));
    }
    spec["cases"][name] = {{"engine", traversing_engine(name).name}};
  }
  spec["baseline"] = arguments.engines.front();
  add_settings(arguments, spec);
  if (arguments.direct.name.empty()) spec["name"] = name_by_contents(spec, kBench);
  return spec;
}

int bench(const BenchCommand& arguments) {
  const Json json = spec_of(arguments);
  const Spec spec = direct_spec(json, kBench);
  if (!arguments.run.dry_run) require_engines_here(spec, kBench);
  if (!arguments.direct.spec_file.empty()) write_spec(arguments.direct.spec_file, json);
  return run_specs(arguments.run, {spec}, results_table());
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(kBench, "Measure engines on graphs, without a spec");
  auto arguments = std::make_shared<BenchCommand>();
  arguments->run.table_first = true;
  add_direct_options(*command, arguments->direct);
  command
      ->add_option("--engine", arguments->engines,
                   "Engines, joined by commas; times are compared with the first one's")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  add_run_options(*command, arguments->run);
  command->footer(kBenchFooter);
  command->callback([arguments, &exit_code] { exit_code = bench(*arguments); });
}

}  // namespace bfslab
