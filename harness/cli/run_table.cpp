// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/estimate_text.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/text_table.hpp"

namespace bfslab {

namespace {

constexpr const char* kTableStatistic =
    "time_ms is the median over sources of the median of their repeats, in each process that made "
    "some, speedup the geometric mean over sources of (the baseline's time) / (the time); "
    "intervals are of 95 %, by bootstrap over processes, sources and repeats";

// Empty where the spec names no figure.
std::string drawing_command(const Spec& spec, const Experiment& experiment) {
  if (spec.figures.empty()) return "";
  return fmt::format("{} {}", installed_share().empty() ? "python -m plots" : "bfslab-plots",
                     experiment.path);
}

std::string graph_text(const ResultCell& cell) {
  if (cell.key.stand_in_for.empty()) return cell.key.graph;
  return fmt::format("{} (stands in for {})", cell.key.graph, cell.key.stand_in_for);
}

}  // namespace

Experiment read_in_order(const Spec& spec, const std::string& folder) {
  Experiment experiment = read_experiment(folder);
  const auto place = [&](const ResultCell& cell) {
    const auto graph = std::ranges::find(spec.graphs, cell.key.graph, &GraphEntry::text);
    const auto configuration =
        std::ranges::find_if(spec.configurations, [&](const Configuration& each) {
          return each.case_name == cell.key.case_name && each.ranks == cell.key.ranks &&
                 each.toggles.text() == cell.key.toggles;
        });
    return std::pair(graph - spec.graphs.begin(), configuration - spec.configurations.begin());
  };
  std::ranges::stable_sort(experiment.cells, {}, place);
  return experiment;
}

std::string run_table(const Spec& spec, const Experiment& experiment, bool markdown) {
  const Summary summary = summarise(experiment, spec.baseline);
  std::string text = markdown ? fmt::format("## {}\n\n", spec.name) : "";
  if (!summary.rows.empty()) {
    std::vector<std::vector<std::string>> rows = {{"case", "graph", "ms", "95 %",
                                                   fmt::format("over {}", summary.baseline), "95 %",
                                                   "polluted", "trials"}};
    for (const SummaryRow& row : summary.rows) {
      const ResultCell& cell = *row.cell;
      rows.push_back({cell.series, graph_text(cell), value_text(row.time_ms),
                      interval_text(row.time_ms), value_text(row.speedup),
                      interval_text(row.speedup),
                      cell.polluted == 0 ? "" : fmt::format("{} of {}", cell.polluted, cell.timed),
                      status_text(cell.statuses)});
    }
    const std::vector<std::size_t> right = {2, 4, 6};
    text += markdown ? markdown_table(rows, right) : table_text(rows, 0, right);
    text += fmt::format("{}{}.\n", markdown ? "\n" : "", kTableStatistic);
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

nlohmann::ordered_json run_table_json(const Spec& spec, const Experiment& experiment) {
  using Json = nlohmann::ordered_json;
  const Summary summary = summarise(experiment, spec.baseline);
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
                    {"speedup", estimate_json(row.speedup)},
                    {"statuses", statuses},
                    {"timed", cell.timed},
                    {"polluted", cell.polluted}});
  }
  return {{"experiment", spec.name},        {"folder", experiment.path},
          {"commit", experiment.commit},    {"baseline", summary.baseline},
          {"statistic", kTableStatistic},   {"rows", rows},
          {"caveats", caveats(experiment)}, {"draw", drawing_command(spec, experiment)}};
}

}  // namespace bfslab
