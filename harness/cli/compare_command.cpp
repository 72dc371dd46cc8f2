// SPDX-License-Identifier: Apache-2.0
// bfslab compare: compares two folders of results, configuration by configuration.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/analyse/compare.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/commit_folder.hpp"
#include "harness/cli/estimate_text.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/text_table.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  std::string a;
  std::string b;
  std::string allow;
  std::string ignore;
  double same_pct = 2;
  std::vector<std::string> fail_if;
  bool json = false;
  bool markdown = false;
};

constexpr const char* kCompareStatistic =
    "ms are medians over sources of the median over processes of the median of repeats; B/A is the "
    "geometric mean over sources of (time in B) / (time in A)";

std::string statistic_of(const Compared& compared) {
  std::vector<std::optional<IntervalEstimate>> estimates;
  for (const Comparison& row : compared.rows) estimates.emplace_back(row.ratio);
  return fmt::format("{}; {}", kCompareStatistic, interval_words(estimates));
}

constexpr const char* kCompareFooter = R"(Examples:
  bfslab compare results/before results/after
  bfslab compare main:results/host results/host     the same folder at a commit, and now
  bfslab compare A B --fail-if 'slower>5%'          exit code 1 where B is slower by more
  bfslab compare A B --ignore threads               one thread against two
  bfslab compare A B --json > out.json && python -m plots compare out.json

Configurations match by experiment (unless A and B are a single one each), case, graph, engine,
toggles and ranks. What --ignore names need not agree; a row then names both, A -> B, and the
configurations of a side that differ in nothing else are left out. The verdict is B's: `same` where the interval of B/A lies within --same of 1,
`faster` or `slower` where it lies on one side of 1, `undecided` otherwise and where there are fewer
than 4 sources. With fewer than 4 processes the interval covers sources alone, and the output says
so. Machines that differ are refused. Configurations whose graphs or sources differ or that one side
lacks, polluted trials, and configurations of which one side has times of several builds are left
out. --allow names what may differ. The output says what was left out.

Exit codes: 0 done, 1 a --fail-if holds, 2 bad input (also where nothing is left to compare because
all graphs or sources differ).)";

// A side of the comparison: its label, its experiments, and the temporary folder that they come
// from.
struct Side {
  std::optional<CommitFolder> from_commit;
  std::vector<Experiment> experiments;

  explicit Side(const std::string& text) {
    if (CommitFolder::is_meant(text)) from_commit.emplace(text);
    experiments = read_results(from_commit ? from_commit->path() : text);
  }
};

// Returns "41 faster, 3 same".
std::string verdicts_text(const Compared& compared) {
  std::map<Judgement, std::size_t> counts;
  for (const Comparison& row : compared.rows) ++counts[row.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(verdict));
  }
  return text.empty() ? "nothing could be compared" : text;
}

std::vector<std::string> closing_lines(const CompareArguments& arguments,
                                       const Compared& compared) {
  std::vector<std::string> lines;
  std::string all = fmt::format("B against A: {}", verdicts_text(compared));
  if (compared.overall) {
    all += fmt::format("; geometric mean of B/A over these {}", value_text(compared.overall));
    const std::string interval = interval_text(compared.overall);
    if (!interval.empty()) all += fmt::format(" ({})", interval);
  }
  lines.push_back(all);
  lines.push_back(fmt::format("{}; same: within {} %", statistic_of(compared), arguments.same_pct));
  for (const std::string& note : compared.notes) lines.push_back("note: " + note);
  for (const std::string& each : compared.left_out) lines.push_back("left out: " + each);
  return lines;
}

// Returns what both sides call it: "threads=1 -> threads=2", or the name alone where they agree.
std::string both_names(const std::string& a, const std::string& b) {
  return a == b ? a : fmt::format("{} -> {}", a, b);
}

// Returns the case, and the toggles that change within its experiment or that --ignore names.
std::string series_of(const ResultCell& cell, const Ignored& ignored) {
  std::string series = cell.series;
  for (const auto& [name, value] : toggles_of(cell.key)) {
    const std::string setting = fmt::format("{}={}", name, value);
    if (!ignored.toggles.contains(name) || series.find(", " + setting) != std::string::npos)
      continue;
    series += ", " + setting;
  }
  return series;
}

std::string series_names(const Comparison& row, const Ignored& ignored) {
  return both_names(series_of(*row.a, ignored), series_of(*row.b, ignored));
}

// Single experiments are compared whatever their names are: B's is shown, unless --ignore asks.
std::string experiment_names(const Comparison& row, const Ignored& ignored) {
  return ignored.experiment ? both_names(row.a->experiment, row.b->experiment) : row.b->experiment;
}

void print_rows(const CompareArguments& arguments, const Ignored& ignored,
                const Compared& compared) {
  std::vector<std::vector<std::string>> rows = {{"experiment", "case", "graph", "A ms", "B ms",
                                                 "B/A", "95 %", "sources", "polluted", "verdict"}};
  for (const Comparison& row : compared.rows) {
    rows.push_back({experiment_names(row, ignored), series_names(row, ignored), row.b->key.graph,
                    value_text(row.a_ms), value_text(row.b_ms), value_text(row.ratio),
                    interval_text(row.ratio), std::to_string(row.sources),
                    row.polluted == 0 ? "" : std::to_string(row.polluted), to_text(row.verdict)});
  }
  const std::vector<std::size_t> right = {3, 4, 5, 7, 8};
  fmt::print("{}\n", arguments.markdown ? markdown_table(rows, right) : table_text(rows, 0, right));
  for (const std::string& line : closing_lines(arguments, compared)) {
    fmt::print("{}{}", printable_lines(line + "\n"), arguments.markdown ? "\n" : "");
  }
}

Json side_json(const std::string& text, const std::vector<Experiment>& side) {
  std::set<std::string> commits;
  std::set<std::string> gpus;
  for (const Experiment& each : side) {
    for (const Build& build : each.builds) commits.insert(build.commit);
    gpus.insert(each.gpus.names.begin(), each.gpus.names.end());
  }
  return {{"results", text}, {"commits", commits}, {"gpus", gpus}};
}

Json json_of(const CompareArguments& arguments, const Side& a, const Side& b,
             const Ignored& ignored, const Compared& compared) {
  Json rows = Json::array();
  for (const Comparison& row : compared.rows) {
    rows.push_back({{"experiment", experiment_names(row, ignored)},
                    {"case", row.b->key.case_name},
                    {"series", series_names(row, ignored)},
                    {"graph", row.b->key.graph},
                    {"stand_in_for", row.b->key.stand_in_for},
                    {"engine", row.b->key.engine},
                    {"a_ms", estimate_json(row.a_ms)},
                    {"b_ms", estimate_json(row.b_ms)},
                    {"ratio", estimate_json(row.ratio)},
                    {"sources", row.sources},
                    {"polluted", row.polluted},
                    {"verdict", to_text(row.verdict)}});
  }
  return {{"a", side_json(arguments.a, a.experiments)},
          {"b", side_json(arguments.b, b.experiments)},
          {"statistic", statistic_of(compared)},
          {"same_pct", arguments.same_pct},
          {"rows", rows},
          {"overall", estimate_json(compared.overall)},
          {"notes", compared.notes},
          {"left_out", compared.left_out}};
}

int run_compare(const CompareArguments& arguments) {
  const Allowed allowed = Allowed::parse(arguments.allow);
  std::vector<FailRule> rules;
  for (const std::string& text : arguments.fail_if) rules.emplace_back(text);
  const Side a(arguments.a);
  const Side b(arguments.b);
  const Ignored ignored = Ignored::parse(arguments.ignore);
  const Compared compared =
      compare(a.experiments, b.experiments, allowed, ignored, arguments.same_pct);
  if (arguments.json) {
    print_json(json_of(arguments, a, b, ignored, compared));
  } else {
    print_rows(arguments, ignored, compared);
  }
  bool failed = false;
  for (const FailRule& rule : rules) {
    const auto count = std::ranges::count_if(
        compared.rows, [&](const Comparison& row) { return rule.fails(row); });
    if (count == 0) continue;
    failed = true;
    write_stderr(fmt::format("bfslab: --fail-if '{}' holds for {} of {} configurations\n",
                             rule.text(), count, compared.rows.size()));
  }
  if (!rules.empty() && compared.rows.empty()) {
    failed = true;
    write_stderr("bfslab: nothing could be compared, so that --fail-if cannot be judged\n");
  } else if (!rules.empty() && !compared.left_out.empty()) {
    write_stderr(
        fmt::format("bfslab: --fail-if judges {} configurations; what was left out is not "
                    "among them\n",
                    compared.rows.size()));
  }
  return failed ? 1 : 0;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("compare", "Compare two folders of results");
  auto arguments = std::make_shared<CompareArguments>();
  constexpr const char* kSide =
      "A folder that `bfslab run` wrote, or one that holds such folders; or COMMIT:PATH, as it was "
      "at a git commit";
  command->add_option("A", arguments->a, kSide)->required();
  command->add_option("B", arguments->b, kSide)->required();
  command
      ->add_option("--allow", arguments->allow,
                   "What may differ or disturb: some of graphs, sources, machines, polluted and "
                   "builds, joined by commas")
      ->type_name("KINDS");
  command
      ->add_option("--ignore", arguments->ignore,
                   "What need not agree: toggles, case and experiment, joined by commas")
      ->type_name("NAMES");
  command
      ->add_option("--same", arguments->same_pct,
                   "Percent by which times may differ that are called the same")
      ->check(real_range(0.0, 100.0))
      ->type_name("PCT")
      ->capture_default_str();
  command
      ->add_option("--fail-if", arguments->fail_if,
                   "Exit with 1 where a configuration has this verdict: slower>5%, undecided")
      ->allow_extra_args(false)
      ->type_name("RULE");
  auto* json = command->add_flag("--json", arguments->json,
                                 "Print JSON, which `python -m plots compare FILE` draws");
  command->add_flag("--markdown", arguments->markdown, "Print Markdown")->excludes(json);
  command->footer(kCompareFooter);
  command->callback([arguments, &exit_code] { exit_code = run_compare(*arguments); });
}

}  // namespace bfslab
