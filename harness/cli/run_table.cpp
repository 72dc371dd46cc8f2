// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "harness/analyse/summary.hpp"
#include "harness/cli/estimate_text.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/record/csv.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

namespace {

constexpr const char* kTableStatistic =
    "time_ms is the median over sources of the median over processes of the median of repeats, "
    "speedup the geometric mean over sources of (the baseline's time) / (the time), and gteps the "
    "harmonic mean over sources of the reached part's undirected edges per ns";

constexpr const char* kEnergyStatistic =
    "; energy_j is the median over sources of the energy per search, of whole GPUs or packages of "
    "processors";

bool has_energy(const Summary& summary) {
  return std::ranges::any_of(summary.rows,
                             [](const SummaryRow& row) { return row.energy_j.has_value(); });
}

std::string statistic_of(const Summary& summary) {
  std::vector<std::optional<IntervalEstimate>> estimates;
  for (const SummaryRow& row : summary.rows) {
    estimates.push_back(row.time_ms);
    estimates.push_back(row.gteps);
    estimates.push_back(row.speedup);
    estimates.push_back(row.energy_j);
  }
  return fmt::format("{}{}; {}", kTableStatistic, has_energy(summary) ? kEnergyStatistic : "",
                     interval_words(estimates));
}

// Returns the command that draws; empty if the spec names no figure.
std::string drawing_command(const Spec& spec, const Experiment& experiment) {
  if (spec.figures.empty()) return "";
  return fmt::format("{} {}", installed_share().empty() ? "python -m plots" : "bfslab-plots",
                     experiment.path);
}

// Has a column of the energy per search, in J, after the rate if there is any.
std::string table_of(const Summary& summary, bool markdown) {
  constexpr std::size_t kEnergyPlace = 5;
  const bool energy = has_energy(summary);
  std::vector<std::vector<std::string>> rows = {{"case", "graph", "ms", "95 %", "GTEPS",
                                                 fmt::format("over {}", summary.baseline), "95 %",
                                                 "polluted", "trials"}};
  const auto add_energy = [&](const std::string& text) {
    if (energy) rows.back().insert(rows.back().begin() + kEnergyPlace, text);
  };
  add_energy("J");
  for (const SummaryRow& row : summary.rows) {
    const ResultCell& cell = *row.cell;
    rows.push_back({cell.series, graph_text(cell.key.graph, cell.key.stand_in_for),
                    value_text(row.time_ms), interval_text(row.time_ms), value_text(row.gteps),
                    value_text(row.speedup), interval_text(row.speedup),
                    cell.polluted == 0 ? "" : fmt::format("{} of {}", cell.polluted, cell.timed),
                    status_text(cell.statuses)});
    add_energy(value_text(row.energy_j));
  }
  std::vector<std::size_t> right = {2, 4, 5};
  if (energy) right.push_back(kEnergyPlace + 1);
  return markdown ? markdown_table(rows, right) : table_text(rows, 0, right);
}

std::string csv_of(const Spec& spec, const Summary& summary, bool header) {
  std::string text;
  if (header) {
    text = csv_row({"experiment",    "case",           "series",         "graph",
                    "stand_in_for",  "engine",         "toggles",        "time_ms",
                    "time_ms_low95", "time_ms_high95", "gteps",          "gteps_low95",
                    "gteps_high95",  "energy_j",       "energy_j_low95", "energy_j_high95",
                    "baseline",      "speedup",        "speedup_low95",  "speedup_high95",
                    "timed",         "polluted",       "statuses"});
  }
  for (const SummaryRow& row : summary.rows) {
    const ResultCell& cell = *row.cell;
    std::vector<std::string> fields = {spec.name,       cell.key.case_name,    cell.series,
                                       cell.key.graph,  cell.key.stand_in_for, cell.key.engine,
                                       cell.key.toggles};
    add_estimate_fields(row.time_ms, fields);
    add_estimate_fields(row.gteps, fields);
    add_estimate_fields(row.energy_j, fields);
    fields.push_back(summary.baseline);
    add_estimate_fields(row.speedup, fields);
    fields.push_back(std::to_string(cell.timed));
    fields.push_back(std::to_string(cell.polluted));
    fields.push_back(status_text(cell.statuses));
    text += csv_row(fields);
  }
  return text;
}

std::string run_table(const Spec& spec, const Experiment& experiment, TableFormat format,
                      bool first, const ResultTable::Poll& before_row) {
  const Summary summary = summarise(experiment, spec.baseline, before_row);
  if (format == TableFormat::csv) return csv_of(spec, summary, first);
  const bool markdown = format == TableFormat::markdown;
  std::string text = markdown ? fmt::format("## {}\n\n", spec.name) : "";
  if (!summary.rows.empty()) {
    text += table_of(summary, markdown);
    text += fmt::format("{}{}.\n", markdown ? "\n" : "", statistic_of(summary));
  }
  for (const std::string& line : caveats(experiment)) {
    text += fmt::format("{}{}: {}\n", markdown ? "\n" : "", spec.name, line);
  }
  if (const std::string draw = drawing_command(spec, experiment); !draw.empty()) {
    text += markdown ? fmt::format("\nTo draw it: `{}`\n", draw)
                     : fmt::format("to draw it: {}\n", draw);
  }
  return text;
}

nlohmann::ordered_json run_table_json(const Spec& spec, const Experiment& experiment,
                                      const ResultTable::Poll& before_row) {
  using Json = nlohmann::ordered_json;
  const Summary summary = summarise(experiment, spec.baseline, before_row);
  Json rows = Json::array();
  for (const SummaryRow& row : summary.rows) {
    const ResultCell& cell = *row.cell;
    Json statuses = Json::object();
    for (const auto& [status, count] : cell.statuses) statuses[to_text(status)] = count;
    rows.push_back({{"case", cell.key.case_name},
                    {"series", cell.series},
                    {"graph", cell.key.graph},
                    {"stand_in_for", cell.key.stand_in_for},
                    {"engine", cell.key.engine},
                    {"toggles", cell.key.toggles},
                    {"time_ms", estimate_json(row.time_ms)},
                    {"gteps", estimate_json(row.gteps)},
                    {"energy_j", estimate_json(row.energy_j)},
                    {"speedup", estimate_json(row.speedup)},
                    {"statuses", statuses},
                    {"timed", cell.timed},
                    {"polluted", cell.polluted}});
  }
  return {{"experiment", spec.name},
          {"folder", experiment.path},
          {"commit", experiment.commit},
          {"baseline", summary.baseline},
          {"statistic", statistic_of(summary)},
          {"rows", rows},
          {"caveats", caveats(experiment)},
          {"draw", drawing_command(spec, experiment)}};
}

}  // namespace

Experiment read_in_order(const Spec& spec, const std::string& folder) {
  Experiment experiment = read_experiment(folder);
  std::map<std::string, std::size_t> graphs;
  for (const GraphEntry& each : spec.graphs) graphs.try_emplace(each.text, graphs.size());
  using Key = std::tuple<std::string, unsigned, std::string>;
  std::map<Key, std::size_t> configurations;
  for (const Configuration& each : spec.configurations) {
    configurations.try_emplace({each.case_name, each.ranks, each.toggles.text()},
                               configurations.size());
  }
  const auto place_in = [](const auto& places, const auto& key) {
    const auto found = places.find(key);
    return found == places.end() ? places.size() : found->second;  // unknown ones come last
  };
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> order;  // the last: where it is
  for (std::size_t i = 0; i < experiment.cells.size(); ++i) {
    const RunRow& key = experiment.cells[i].key;
    order.emplace_back(place_in(graphs, key.graph),
                       place_in(configurations, Key{key.case_name, key.ranks, key.toggles}), i);
  }
  std::ranges::sort(order);
  std::vector<ResultCell> cells;
  cells.reserve(order.size());
  for (const auto& [graph, configuration, i] : order) {
    cells.push_back(std::move(experiment.cells[i]));
  }
  experiment.cells = std::move(cells);
  return experiment;
}

ResultTable results_table() { return {run_table, run_table_json}; }

}  // namespace bfslab
