// SPDX-License-Identifier: Apache-2.0
// Prints the statistics of folders of results as JSON, for tests/driver/test_statistics.py. Each
// cell has its time, its rate in edges per ms, and its ratio to the first cell of its graph, both
// as in the table of a run (the same processes) and as in `bfslab compare` (others).
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/analyse/results.hpp"

namespace {

using namespace bfslab;

nlohmann::json json_of(const IntervalEstimate& estimate) {
  nlohmann::json json = {{"value", estimate.value}, {"alone", estimate.sources_alone}};
  if (estimate.interval) json["interval"] = {estimate.interval->low, estimate.interval->high};
  return json;
}

nlohmann::json json_of(const ResultCell& cell, const ResultCell& base) {
  nlohmann::json json = {{"graph", cell.key.graph},
                         {"case", cell.key.case_name},
                         {"series", cell.series},
                         {"polluted", cell.polluted + base.polluted},
                         {"time", json_of(median_time(times_of(cell.usable(false))))}};
  const auto times = cell.usable(false);
  std::vector<double> edges;
  for (const auto& [source, processes] : times) {
    const auto found = cell.edges.find(source);
    edges.push_back(found == cell.edges.end() ? 0.0 : static_cast<double>(found->second));
  }
  json["rate"] = json_of(mean_rate(times_of(times), edges));
  const auto [own, others] = same_build_times(
      cell.usable_by_build(false), base.usable_by_build(false), cell.processes_per_build);
  if (!own.empty()) json["same"] = json_of(paired_ratio(others, own, Pairing::same_processes));
  const auto [mine, its] = common_times(cell.usable(false), base.usable(false));
  if (!mine.empty()) json["apart"] = json_of(paired_ratio(its, mine, Pairing::other_processes));
  return json;
}

bool usable(const ResultCell& cell) {
  return cell.timed > 0 && cell.statuses.size() == 1 && !cell.times.empty();
}

}  // namespace

int main(int count, char** arguments) {
  nlohmann::json folders = nlohmann::json::object();
  for (int i = 1; i < count; ++i) {
    const Experiment experiment = read_experiment(arguments[i]);
    std::map<std::string, const ResultCell*> bases;
    nlohmann::json& cells = folders[arguments[i]] = nlohmann::json::array();
    for (const ResultCell& cell : experiment.cells) {
      if (!usable(cell)) continue;
      const ResultCell& base = *bases.try_emplace(cell.key.graph, &cell).first->second;
      cells.push_back(json_of(cell, base));
    }
  }
  fmt::print("{}\n", folders.dump());
  return 0;
}
