// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/self_agreement.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "harness/record/environment.hpp"

namespace bfslab {

namespace {

std::string place_text(const CellPlace& place, double ms) {
  return fmt::format("{} ms in {} ({}, {})", three_digits(ms), place.experiment->name,
                     place.cell->series, builds_text(*place.experiment, place.cell->builds));
}

// Returns an empty text if all times of both are of one build.
std::string different_builds(const CellPlace& a, const CellPlace& b) {
  std::map<std::string, std::string> names;  // by hash
  for (const CellPlace& place : {a, b}) {
    for (const std::size_t each : place.cell->builds) {
      const Build& build = place.experiment->builds.at(each);
      names.emplace(build.hash, build.name());
    }
  }
  if (names.size() < 2) return {};
  std::vector<std::string> list;
  for (const auto& [hash, name] : names) list.push_back(name);
  return fmt::format("{}", fmt::join(list, " and "));
}

bool matches(const KnownDisagreement& known, const std::string& experiment) {
  return std::ranges::any_of(known.experiments, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), experiment.c_str(), 0) == 0;
  });
}

void compare_answers(const std::vector<Experiment>& experiments, SelfAgreement& found) {
  Agreement agreement;
  for (const Experiment& experiment : experiments) {
    for (const RunRow& row : experiment.answers) {
      const Agreement::Known* const known = agreement.find(row);
      if (known != nullptr && !known->counts.agrees(SearchCounts(row))) {
        found.answers.push_back(fmt::format("{}/{}: trial {}, {} from source {}: {}; but {}: {}",
                                            experiment.machine, experiment.name, row.trial,
                                            row.graph, *row.source, SearchCounts(row).text(),
                                            known->who, known->counts.text()));
        continue;
      }
      agreement.add(row);
    }
  }
}

using Disagreements =
    std::map<std::tuple<std::string, std::string, const Experiment*, const Experiment*>,
             Disagreement>;

// Compares the times of two cells of equal configurations. A difference above the limit enters the
// disagreement of their experiments.
void compare_cells(const CellPlace& first, const CellPlace& second, double limit_pct,
                   SelfAgreement& found, Disagreements& all) {
  const auto [a, b] = common_times(first.cell->usable(false), second.cell->usable(false));
  if (a.empty()) return;
  ++found.pairs;
  const double ratio = paired_ratio(b, a, Pairing::other_processes).value;
  const double factor = std::max(ratio, 1 / ratio);
  if (factor <= 1 + limit_pct / 100) return;
  const std::string& machine = first.experiment->machine;
  const std::string& engine = first.cell->key.engine;
  Disagreement& pair = all[{machine, engine, first.experiment, second.experiment}];
  pair.machine = machine;
  pair.engine = engine;
  pair.a = first.experiment;
  pair.b = second.experiment;
  ++pair.configurations;
  if (factor <= pair.factor) return;
  pair.factor = factor;
  pair.builds = different_builds(first, second);
  pair.worst = fmt::format("on {}, {} and {}, over {} sources", first.cell->key.graph,
                           place_text(first, median_time(a).value),
                           place_text(second, median_time(b).value), a.size());
}

// Gives a disagreement the reason of a known one, which is marked as used.
void explain(Disagreement& pair, std::vector<KnownDisagreement>& known) {
  for (KnownDisagreement& each : known) {
    if (each.machine != pair.machine || each.engine != pair.engine || pair.factor > each.at_most ||
        !matches(each, pair.a->name) || !matches(each, pair.b->name)) {
      continue;
    }
    each.used = true;
    pair.known = each.reason;
  }
}

}  // namespace

std::vector<KnownDisagreement> parse_known(const std::string& text, const std::string& path) {
  try {
    std::vector<KnownDisagreement> known;
    const nlohmann::json all = nlohmann::json::parse(text);
    for (const auto& each : all.at("disagreements")) {
      known.push_back({each.at("machine"), each.at("engine"),
                       each.at("experiments").get<std::vector<std::string>>(), each.at("at_most"),
                       each.at("reason"), false});
    }
    return known;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format(
        "{}: {}; expected {{\"disagreements\": [{{\"machine\", \"engine\", \"experiments\": [...], "
        "\"at_most\", \"reason\"}}]}}",
        path, error.what()));
  }
}

SelfAgreement examine(const std::vector<Experiment>& experiments, double limit_pct,
                      std::vector<KnownDisagreement>& known) {
  SelfAgreement found;
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, unsigned,
                         unsigned, std::uint64_t, std::string>;
  std::map<Key, std::vector<CellPlace>> places;
  for (const Experiment& experiment : experiments) {
    for (const ResultCell& cell : experiment.cells) {
      const RunRow& key = cell.key;
      if (cell.times.empty()) continue;
      places[{experiment.machine, key.graph_hash, key.engine, key.toggles, key.answer, key.ranks,
              key.gpus_per_rank, key.searches_per_trial.value_or(1), key.caches}]
          .push_back({&experiment, &cell});
    }
  }
  Disagreements all;
  for (const auto& [key, cells] : places) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t j = i + 1; j < cells.size(); ++j) {
        compare_cells(cells[i], cells[j], limit_pct, found, all);
      }
    }
  }
  for (auto& [key, pair] : all) {
    explain(pair, known);
    pair.environment = machine_difference(pair.a->environment, pair.b->environment);
    found.disagreements.push_back(std::move(pair));
  }
  compare_answers(experiments, found);
  return found;
}

}  // namespace bfslab
