// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/ablate_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/analyse/ablation_results.hpp"
#include "harness/analyse/summary.hpp"
#include "harness/cli/estimate_text.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Everything that the tables are made of.
struct Results {
  const Ablation& ablation;
  const Spec& spec;
  const Experiment& experiment;
  std::vector<GraphAblation> graphs;
};

Results results_of(const Ablation& ablation, const Spec& spec, const Experiment& experiment,
                   const ResultTable::Poll& before_row) {
  return {ablation, spec, experiment, evaluate(ablation, experiment, before_row)};
}

// Returns the time of a case on a graph; none if a search of it failed.
std::optional<IntervalEstimate> time_of(const Results& results, const std::string& graph,
                                        const std::string& case_name) {
  for (const ResultCell& cell : results.experiment.cells) {
    if (cell.key.graph != graph || cell.key.case_name != case_name) continue;
    return shown_time(cell);
  }
  return std::nullopt;
}

std::string statistic_of(const Results& results) {
  std::vector<std::optional<IntervalEstimate>> estimates;
  for (const GraphAblation& graph : results.graphs) {
    for (const TechniqueGain& each : graph.techniques) estimates.push_back(each.gain);
    for (const PairGain& each : graph.pairs) estimates.push_back(each.ratio);
  }
  return fmt::format(
      "gain is the geometric mean over sources of (time without the technique) / (time with it); "
      "{}, widened so that all gains of a graph, and all of its pairs, lie in theirs with 95 %",
      interval_words(estimates));
}

// Returns "all 1.23 ms (1.1..1.4)".
std::string case_text(const Results& results, const std::string& graph,
                      const std::string& case_name) {
  const auto time = time_of(results, graph, case_name);
  if (!time) return fmt::format("{} has no time", case_name);
  const std::string interval = interval_text(time);
  return fmt::format("{} {} ms{}", case_name, value_text(time),
                     interval.empty() ? "" : fmt::format(" ({})", interval));
}

std::string heading_of(const Results& results, const GraphAblation& graph) {
  const std::vector<AblationCase>& cases = results.ablation.cases;
  std::string text = fmt::format("{} on {}: {}", results.spec.configurations.front().engine->name,
                                 graph_text(graph.graph, graph.stand_in_for),
                                 case_text(results, graph.graph, cases.front().name));
  const auto none = std::ranges::find(cases, "none", &AblationCase::name);
  if (none != cases.end()) text += "; " + case_text(results, graph.graph, none->name);
  return text;
}

Rows technique_rows(const Results& results, const GraphAblation& graph) {
  Rows rows = {{"technique", "in", "ms without", "ms with", "gain", "95 %, corrected", "verdict"}};
  for (const TechniqueGain& each : graph.techniques) {
    const Technique& technique = *each.technique;
    rows.push_back({technique.name, technique.among,
                    value_text(time_of(results, graph.graph, technique.without)),
                    value_text(time_of(results, graph.graph, technique.with)),
                    value_text(each.gain), interval_text(each.gain), to_text(each.worth)});
  }
  return rows;
}

Rows pair_rows(const GraphAblation& graph) {
  Rows rows = {{"pair", "ratio", "95 %, corrected", "together"}};
  for (const PairGain& each : graph.pairs) {
    rows.push_back({fmt::format("{} and {}", each.pair->first_name, each.pair->second_name),
                    value_text(each.ratio), interval_text(each.ratio), to_text(each.interaction)});
  }
  return rows;
}

// Returns the techniques of a graph with this verdict, the greatest effect first.
std::string named(const GraphAblation& graph, Worth worth) {
  std::vector<std::string> names;
  for (const TechniqueGain& each : graph.techniques) {
    if (each.worth != worth) continue;
    names.push_back(fmt::format("{} ({}, in {})", each.technique->name, value_text(each.gain),
                                each.technique->among));
  }
  if (worth == Worth::costs) std::ranges::reverse(names);
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

// Returns the number of gains and ratios that rest on polluted trials alone.
std::size_t disturbed(const Results& results) {
  std::ptrdiff_t count = 0;
  for (const GraphAblation& graph : results.graphs) {
    count += std::ranges::count(graph.techniques, true, &TechniqueGain::disturbed);
    count += std::ranges::count(graph.pairs, true, &PairGain::disturbed);
  }
  return static_cast<std::size_t>(count);
}

std::vector<std::string> notes_of(const Results& results) {
  std::vector<std::string> lines = {statistic_of(results) + "."};
  for (const ResultCell& cell : results.experiment.cells) {
    if (!shown_times(cell).empty()) continue;
    lines.push_back(fmt::format("without a time: {} on {}: {}", cell.key.case_name, cell.key.graph,
                                status_text(cell.statuses)));
  }
  for (const std::string& each : results.ablation.left_out) lines.push_back("left out: " + each);
  if (!results.ablation.not_varied.empty()) {
    lines.push_back(fmt::format("not varied, since they are numbers or set by --set: {}",
                                fmt::join(results.ablation.not_varied, ", ")));
  }
  if (const std::size_t count = disturbed(results); count > 0) {
    lines.push_back(fmt::format(
        "undecided, since a case has only trials that other programs disturbed: {} of "
        "the gains and ratios; run the same command with --fresh while nothing else runs",
        count));
  }
  for (const std::string& each : caveats(results.experiment)) lines.push_back(each);
  return lines;
}

std::string text_of(const Results& results, bool markdown) {
  const std::string gap = markdown ? "\n" : "";
  std::string text;
  for (const GraphAblation& graph : results.graphs) {
    const auto add = [&](const Rows& rows, const std::vector<std::size_t>& right) {
      text += (markdown ? markdown_table(rows, right) : table_text(rows, 0, right)) + "\n";
    };
    text += fmt::format("{}{}\n{}", markdown ? "## " : "", heading_of(results, graph), gap);
    add(technique_rows(results, graph), {2, 3, 4});
    if (!graph.pairs.empty()) add(pair_rows(graph), {1});
    text += fmt::format("pays: {}\n{}costs: {}\n\n", named(graph, Worth::pays), gap,
                        named(graph, Worth::costs));
  }
  for (const std::string& line : notes_of(results)) text += line + "\n" + gap;
  return text;
}

std::string csv_of(const Results& results, bool header) {
  std::string text;
  if (header) {
    text = csv_row({"experiment", "graph", "stand_in_for", "kind", "technique", "among", "without",
                    "with", "gain", "low", "high", "verdict"});
  }
  const auto add = [&](const GraphAblation& graph, const std::vector<std::string>& names,
                       const std::optional<IntervalEstimate>& estimate, const char* verdict) {
    std::vector<std::string> fields = {results.spec.name, graph.graph, graph.stand_in_for};
    fields.insert(fields.end(), names.begin(), names.end());
    add_estimate_fields(estimate, fields);
    fields.emplace_back(verdict);
    text += csv_row(fields);
  };
  for (const GraphAblation& graph : results.graphs) {
    for (const TechniqueGain& each : graph.techniques) {
      const Technique& technique = *each.technique;
      add(graph, {"technique", technique.name, technique.among, technique.without, technique.with},
          each.gain, to_text(each.worth));
    }
    for (const PairGain& each : graph.pairs) {
      const TechniquePair& pair = *each.pair;
      add(graph,
          {"pair", fmt::format("{} and {}", pair.first_name, pair.second_name), "", pair.neither,
           pair.both},
          each.ratio, to_text(each.interaction));
    }
  }
  return text;
}

Json json_of(const Results& results) {
  Json graphs = Json::array();
  for (const GraphAblation& graph : results.graphs) {
    Json techniques = Json::array();
    for (const TechniqueGain& each : graph.techniques) {
      const Technique& technique = *each.technique;
      techniques.push_back({{"technique", technique.name},
                            {"among", technique.among},
                            {"without", technique.without},
                            {"with", technique.with},
                            {"gain", estimate_json(each.gain)},
                            {"disturbed", each.disturbed},
                            {"verdict", to_text(each.worth)}});
    }
    Json pairs = Json::array();
    for (const PairGain& each : graph.pairs) {
      const TechniquePair& pair = *each.pair;
      pairs.push_back({{"first", pair.first_name},
                       {"second", pair.second_name},
                       {"cases",
                        {{"both", pair.both},
                         {"first", pair.first},
                         {"second", pair.second},
                         {"neither", pair.neither}}},
                       {"ratio", estimate_json(each.ratio)},
                       {"disturbed", each.disturbed},
                       {"verdict", to_text(each.interaction)}});
    }
    graphs.push_back({{"graph", graph.graph},
                      {"stand_in_for", graph.stand_in_for},
                      {"compared", graph.compared},
                      {"techniques", techniques},
                      {"compared_pairs", graph.compared_pairs},
                      {"pairs", pairs}});
  }
  return {{"experiment", results.spec.name},
          {"folder", results.experiment.path},
          {"commit", results.experiment.commit},
          {"engine", results.spec.configurations.front().engine->name},
          {"graphs", graphs},
          {"left_out", results.ablation.left_out},
          {"not_varied", results.ablation.not_varied},
          {"notes", notes_of(results)}};
}

}  // namespace

ResultTable ablation_table(const Ablation& ablation) {
  return {
      [&ablation](const Spec& spec, const Experiment& experiment, TableFormat format, bool first,
                  const ResultTable::Poll& poll) {
        const Results results = results_of(ablation, spec, experiment, poll);
        return format == TableFormat::csv ? csv_of(results, first)
                                          : text_of(results, format == TableFormat::markdown);
      },
      [&ablation](const Spec& spec, const Experiment& experiment, const ResultTable::Poll& poll) {
        return json_of(results_of(ablation, spec, experiment, poll));
      }};
}

}  // namespace bfslab
