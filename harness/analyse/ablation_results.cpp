// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/ablation_results.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "harness/analyse/summary.hpp"

namespace bfslab {

namespace {

constexpr double kSame = 1.02;  // a gain of at most 2 % either way is none

// The cells of one graph, by case.
using Cases = std::map<std::string, const ResultCell*>;

const ResultCell* find(const Cases& cases, const std::string& name) {
  const auto found = cases.find(name);
  return found == cases.end() ? nullptr : found->second;
}

std::optional<IntervalEstimate> gain_of(const Technique& technique, const Cases& cases) {
  const ResultCell* const with = find(cases, technique.with);
  const ResultCell* const without = find(cases, technique.without);
  if (with == nullptr || without == nullptr) return std::nullopt;
  return speedup_over(*without, *with);
}

// Returns the product of two cells' times for each source and process that both have; no time where
// one has none.
std::map<vertex_t, ProcessTimes> product(const ResultCell& a, const ResultCell& b) {
  const auto times_a = shown_times(a);
  const auto times_b = shown_times(b);
  std::map<vertex_t, ProcessTimes> products;
  for (const auto& [source, of_a] : times_a) {
    const auto found = times_b.find(source);
    if (found == times_b.end()) continue;
    const ProcessTimes& of_b = found->second;
    ProcessTimes& both = products[source];
    both.resize(std::min(of_a.size(), of_b.size()));
    for (std::size_t p = 0; p < both.size(); ++p) {
      if (!of_a[p].empty() && !of_b[p].empty()) both[p] = {median(of_a[p]) * median(of_b[p])};
    }
  }
  return products;
}

std::optional<IntervalEstimate> ratio_of(const TechniquePair& pair, const Cases& cases) {
  const ResultCell* const both = find(cases, pair.both);
  const ResultCell* const first = find(cases, pair.first);
  const ResultCell* const second = find(cases, pair.second);
  const ResultCell* const neither = find(cases, pair.neither);
  if (both == nullptr || first == nullptr || second == nullptr || neither == nullptr) {
    return std::nullopt;
  }
  const auto [apart, together] = common_times(product(*first, *second), product(*both, *neither));
  if (apart.empty()) return std::nullopt;
  const IntervalEstimate ratio = paired_ratio(apart, together, Pairing::same_processes);
  return std::isnan(ratio.value) ? std::nullopt : std::optional(ratio);
}

// Returns whether one of these cases has only polluted trials; not so where it has no times at all.
bool any_disturbed(const Cases& cases, std::initializer_list<std::string> names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    const ResultCell* const cell = find(cases, name);
    return cell != nullptr && !cell->dirty_times.empty() && cell->usable_by_build(false).empty();
  });
}

Interaction interaction_of(const IntervalEstimate& ratio) {
  switch (worth_of(ratio)) {
    case Worth::pays:
      return Interaction::help;
    case Worth::costs:
      return Interaction::hurt;
    case Worth::same:
      return Interaction::independent;
    case Worth::undecided:
      break;
  }
  return Interaction::undecided;
}

std::size_t intervals(const auto& rows, auto member) {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](const auto& row) { return (row.*member) && (row.*member)->interval; }));
}

// Returns how far an estimate is from 1, as a factor; those without a value come last.
double distance(const std::optional<IntervalEstimate>& estimate) {
  return estimate ? std::abs(std::log(estimate->value)) : -1;
}

void evaluate_graph(const Ablation& ablation, const Cases& cases,
                    const std::function<void()>& before_row, GraphAblation& out) {
  for (const Technique& technique : ablation.techniques) {
    before_row();
    out.techniques.push_back({&technique, gain_of(technique, cases),
                              any_disturbed(cases, {technique.with, technique.without}),
                              Worth::undecided});
  }
  out.compared = intervals(out.techniques, &TechniqueGain::gain);
  for (TechniqueGain& each : out.techniques) {
    if (!each.gain) continue;
    each.gain = corrected(*each.gain, out.compared);
    if (!each.disturbed) each.worth = worth_of(*each.gain);
  }
  std::ranges::stable_sort(out.techniques, std::ranges::greater(), [](const TechniqueGain& each) {
    return each.gain ? each.gain->value : 0;
  });
  for (const TechniquePair& pair : ablation.pairs) {
    before_row();
    out.pairs.push_back({&pair, ratio_of(pair, cases),
                         any_disturbed(cases, {pair.both, pair.first, pair.second, pair.neither}),
                         Interaction::undecided});
  }
  out.compared_pairs = intervals(out.pairs, &PairGain::ratio);
  for (PairGain& each : out.pairs) {
    if (!each.ratio) continue;
    each.ratio = corrected(*each.ratio, out.compared_pairs);
    if (!each.disturbed) each.interaction = interaction_of(*each.ratio);
  }
  std::ranges::stable_sort(out.pairs, std::ranges::greater(), [](const PairGain& each) {
    const bool decided =
        each.interaction == Interaction::help || each.interaction == Interaction::hurt;
    return std::pair(decided, distance(each.ratio));
  });
}

}  // namespace

const char* to_text(Worth worth) {
  switch (worth) {
    case Worth::pays:
      return "pays";
    case Worth::costs:
      return "costs";
    case Worth::same:
      return "same";
    case Worth::undecided:
      break;
  }
  return "undecided";
}

const char* to_text(Interaction interaction) {
  switch (interaction) {
    case Interaction::help:
      return "help";
    case Interaction::hurt:
      return "hurt";
    case Interaction::independent:
      return "independent";
    case Interaction::undecided:
      break;
  }
  return "undecided";
}

Worth worth_of(const IntervalEstimate& gain) {
  if (!gain.interval) return Worth::undecided;
  if (gain.interval->low > 1) return Worth::pays;
  if (gain.interval->high < 1) return Worth::costs;
  return gain.interval->low >= 1 / kSame && gain.interval->high <= kSame ? Worth::same
                                                                         : Worth::undecided;
}

std::vector<GraphAblation> evaluate(const Ablation& ablation, const Experiment& experiment,
                                    const std::function<void()>& before_row) {
  std::vector<GraphAblation> graphs;
  std::map<std::string, Cases> cells;
  for (const ResultCell& cell : experiment.cells) {
    const auto [cases, fresh] = cells.try_emplace(cell.key.graph);
    cases->second.emplace(cell.key.case_name, &cell);
    if (!fresh) continue;
    graphs.emplace_back();
    graphs.back().graph = cell.key.graph;
    graphs.back().stand_in_for = cell.key.stand_in_for;
  }
  for (GraphAblation& each : graphs) {
    evaluate_graph(ablation, cells.at(each.graph), before_row, each);
  }
  return graphs;
}

}  // namespace bfslab
