// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace bfslab {

namespace {

// Returns no rate where the edges of a source are unknown, or no source has any.
std::optional<IntervalEstimate> gteps_of(const std::map<vertex_t, ProcessTimes>& times,
                                         const std::map<vertex_t, std::uint64_t>& edges) {
  constexpr double kPerMs = 1e-6;  // edges per ms in 10^9 per second
  std::vector<double> counts;
  for (const auto& [source, processes] : times) {
    const auto found = edges.find(source);
    if (found == edges.end()) return std::nullopt;
    counts.push_back(static_cast<double>(found->second) * kPerMs);
  }
  const IntervalEstimate rate = mean_rate(times_of(times), counts);
  return std::isnan(rate.value) ? std::nullopt : std::optional(rate);
}

// Returns no energy where no trial has one.
std::optional<IntervalEstimate> energy_of(const ResultCell& cell) {
  std::map<vertex_t, ProcessTimes> energies;
  for (const auto& [source, joules] : cell.energy_j) energies[source] = {{joules}};
  if (energies.empty()) return std::nullopt;
  return median_time(times_of(energies));
}

// The baseline's cells, found by graph and by the values that a sweep gave them.
class Baselines {
 public:
  Baselines(const std::vector<ResultCell>& cells, const std::string& baseline) {
    for (const ResultCell& each : cells) {
      if (each.key.case_name != baseline) continue;
      const Swept values = swept(each);
      for (const auto& [key, value] : values) keys_.insert(key);
      cells_.try_emplace({each.key.graph, values}, &each);
    }
  }

  // Returns the cell that `cell` is compared with: on its graph, the one that has its values of all
  // keys that are swept in the baseline; nullptr if there is none.
  [[nodiscard]] const ResultCell* of(const ResultCell& cell) const {
    Swept values = swept(cell);
    std::erase_if(values, [&](const auto& each) { return !keys_.contains(each.first); });
    const auto found = cells_.find({cell.key.graph, values});
    return found == cells_.end() ? nullptr : found->second;
  }

 private:
  using Swept = std::map<std::string, std::string>;

  // Returns {"threads": "2", "alpha": "1"} for the series "a case, threads=2, alpha=1".
  static Swept swept(const ResultCell& cell) {
    constexpr std::string_view kBetween = ", ";
    Swept values;
    std::string_view rest = std::string_view(cell.series).substr(cell.key.case_name.size());
    while (rest.starts_with(kBetween)) {
      rest.remove_prefix(kBetween.size());
      const std::string_view part = rest.substr(0, rest.find(kBetween));
      const std::size_t equals = std::min(part.find('='), part.size());
      values.emplace(part.substr(0, equals), part.substr(equals));
      rest.remove_prefix(part.size());
    }
    return values;
  }

  std::set<std::string> keys_;
  std::map<std::pair<std::string, Swept>, const ResultCell*> cells_;
};

}  // namespace

std::map<vertex_t, ProcessTimes> shown_times(const ResultCell& cell) {
  const bool failed =
      std::ranges::any_of(cell.statuses, [](const auto& each) { return each.first != Status::ok; });
  if (failed) return {};
  auto times = cell.usable_by_build(false);
  return times.empty() ? cell.usable_by_build(true) : times;
}

std::optional<IntervalEstimate> shown_time(const ResultCell& cell) {
  const auto times = shown_times(cell);
  if (times.empty()) return std::nullopt;
  return median_time(times_of(without_other_builds(times, cell.processes_per_build)));
}

std::optional<IntervalEstimate> speedup_over(const ResultCell& base, const ResultCell& cell) {
  // No ratio is formed across builds: a source's times are of one program on both sides.
  const auto [own, others] =
      same_build_times(shown_times(cell), shown_times(base), cell.processes_per_build);
  if (own.empty()) return std::nullopt;
  return paired_ratio(others, own, Pairing::same_processes);
}

Summary summarise(const Experiment& experiment, const std::string& baseline,
                  const std::function<void()>& before_row) {
  Summary summary{baseline, {}};
  const auto timed = [](const ResultCell& cell) {
    return !cell.statuses.empty() || !cell.energy_j.empty();
  };
  if (summary.baseline.empty()) {
    const auto first = std::ranges::find_if(experiment.cells, timed);
    if (first != experiment.cells.end()) summary.baseline = first->key.case_name;
  }
  const Baselines baselines(experiment.cells, summary.baseline);
  for (const ResultCell& cell : experiment.cells) {
    if (!timed(cell)) continue;
    before_row();
    SummaryRow row{&cell, {}, {}, energy_of(cell), {}};
    const auto times = shown_times(cell);
    if (!times.empty()) {
      row.time_ms = shown_time(cell);
      row.gteps = gteps_of(without_other_builds(times, cell.processes_per_build), cell.edges);
      const ResultCell* const base = baselines.of(cell);
      if (base != nullptr && base != &cell) row.speedup = speedup_over(*base, cell);
    }
    summary.rows.push_back(row);
  }
  return summary;
}

std::vector<std::string> caveats(const Experiment& experiment) {
  std::vector<std::string> lines;
  std::size_t timed = 0;
  std::size_t polluted = 0;
  std::map<std::string, std::size_t> words;
  for (const ResultCell& cell : experiment.cells) {
    timed += cell.timed;
    polluted += cell.polluted;
    for (const auto& [reason, count] : cell.pollution) words[reason] += count;
  }
  if (polluted > 0) {
    const auto most =
        std::ranges::max_element(words, {}, [](const auto& each) { return each.second; });
    lines.push_back(fmt::format("{} of {} timed trials are polluted{}; most often: {}", polluted,
                                timed,
                                polluted == timed ? ", so that no time is to be believed" : "",
                                most->first.empty() ? "no reason is recorded" : most->first));
  }
  std::set<std::string> missing;
  for (const ResultCell& cell : experiment.cells) {
    missing.insert(cell.energy_missing.begin(), cell.energy_missing.end());
  }
  for (const std::string& reason : missing) lines.push_back("no energy: " + reason);
  if (std::ranges::any_of(experiment.cells,
                          [](const ResultCell& cell) { return !cell.key.caches.empty(); })) {
    lines.emplace_back("caches were cold: overwritten before each trial");
  }
  for (std::string& line : small_sources_lines(experiment.small_sources)) {
    lines.push_back(std::move(line));
  }
  if (experiment.builds.size() > 1) {
    std::vector<std::string> names;
    for (const Build& each : experiment.builds) {
      names.push_back(fmt::format("{} ({})", each.commit, each.hash));
    }
    lines.push_back(
        fmt::format("rows of {} builds, by commit and hash: {}; no ratio is formed "
                    "across them",
                    names.size(), fmt::join(names, ", ")));
  }
  if (!experiment.compiled_for.empty() && !experiment.cpu_engines.empty()) {
    lines.push_back(
        fmt::format("the program was compiled for another CPU, {}, so times of {} may be longer "
                    "than they need be",
                    experiment.compiled_for, fmt::join(experiment.cpu_engines, ", ")));
  }
  if (const UsedGpus& gpus = experiment.gpus; gpus.differ()) {
    lines.push_back(
        fmt::format("rows of {} GPUs: {}", gpus.names.size(), fmt::join(gpus.names, ", ")));
  } else if (experiment.environments.size() > 1) {
    lines.push_back(fmt::format("rows of {} sets of processors or GPUs: see environment.json",
                                experiment.environments.size()));
  }
  return lines;
}

}  // namespace bfslab
