// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/level_costs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bfslab::cuda {

namespace {

constexpr std::array kAlphas{0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0, 20.0, 30.0};
constexpr std::array kBetas{4.0, 8.0, 16.0, 32.0, 64.0, 256.0, 1024.0};
constexpr double kNearly = 1.01;  // of the least time
constexpr double kWorthIt = 0.9;  // of the usual time
constexpr double kManyLooks = 1000;

double sum(const FusedProfile& search, std::size_t from,
           unsigned long long FusedLevelNumbers::*number) {
  auto all = static_cast<double>(search.unreached.*number);
  for (std::size_t l = from; l < search.levels.size(); ++l) {
    all += static_cast<double>(search.levels[l].*number);
  }
  return all;
}

double down_us(const FusedProfile& search, std::size_t level, bool cuts,
               const FusedLevelCosts& costs) {
  const double found =
      level + 1 < search.levels.size() ? static_cast<double>(search.levels[level + 1].vertices) : 0;
  const auto edges = static_cast<double>(search.levels[level].edges);
  if (cuts) return costs.cut + costs.edge_of_cut * edges;
  return costs.down +
         std::min(costs.edge * edges + costs.find * found,
                  costs.many + costs.edge_of_many * edges + costs.find_of_many * found);
}

double up_us(const FusedProfile& search, std::size_t level, const FusedLevelCosts& costs) {
  const double open = sum(search, level + 1, &FusedLevelNumbers::vertices);
  double looks = sum(search, level + 2, &FusedLevelNumbers::entries);
  if (level + 1 < search.levels.size()) {
    looks += static_cast<double>(search.levels[level + 1].looks);
  }
  return costs.up + costs.open * open + costs.look * looks +
         (looks > kManyLooks ? costs.misses : 0) +
         (sum(search, level + 2, &FusedLevelNumbers::long_rows) > 0 ? costs.long_rows : 0);
}

}  // namespace

double expected_us(const FusedRules& rules, const FusedProfile& search,
                   const FusedLevelCosts& costs) {
  double us = 0;
  Progress at;
  at.edges = at.all_edges = search.levels.empty() ? 0 : search.levels[0].edges;
  for (std::size_t level = 0; level < search.levels.size(); ++level) {
    FusedKind kind = rules.kind(at);
    if (kind == kFusedDown && !at.is_queued) {  // queue_front() of kernel.cu
      us += costs.back + costs.queued * static_cast<double>(search.levels[level].vertices);
      at.edges = search.levels[level].edges;
      at.is_queued = true;
      if (rules.is_small(at)) kind = kFusedSmall;
    }
    if (kind == kFusedUp && at.was_bottom_up) {
      us += costs.labeled * static_cast<double>(search.levels[level].vertices);
    }
    us += kind == kFusedSmall ? costs.small
          : kind == kFusedUp  ? up_us(search, level, costs)
                              : down_us(search, level, rules.cuts(at), costs);
    if (level + 1 == search.levels.size()) break;
    const FusedLevelNumbers& next = search.levels[level + 1];
    at.advance(next.vertices, kind == kFusedUp ? 0 : next.edges, kind == kFusedUp);
    at.is_queued = kind != kFusedUp;
  }
  return us;
}

namespace {

double all_us(const FusedRules& rules, std::span<const FusedProfile> searches,
              const FusedLevelCosts& costs) {
  double us = 0;
  for (const FusedProfile& search : searches) us += expected_us(rules, search, costs);
  return us;
}

}  // namespace

FusedRules best_turns(FusedRules rules, std::span<const FusedProfile> searches,
                      const FusedLevelCosts& costs) {
  FusedRules usual = rules;
  if (rules.beta == 0) usual.beta = kUsualBeta;
  std::vector<std::pair<double, FusedRules>> tried;
  for (const double alpha : kAlphas) {
    for (const double beta : kBetas) {
      FusedRules with = rules;
      if (rules.careful) with.alpha = alpha;
      if (rules.beta == 0) with.beta = beta;
      tried.emplace_back(all_us(with, searches, costs), with);
    }
  }
  const double least =
      std::ranges::min_element(tried, {}, &std::pair<double, FusedRules>::first)->first;
  if (least > kWorthIt * all_us(usual, searches, costs)) return usual;
  std::erase_if(tried, [&](const auto& one) { return one.first > kNearly * least; });
  return tried[tried.size() / 2].second;
}

bool ordering_pays(const FusedRules& rules, std::span<const FusedProfile> searches, bool maps,
                   const FusedLevelCosts& costs) {
  FusedRules down = rules;
  down.bottom_up = false;
  const double map_us = maps ? costs.map + costs.mapped * rules.vertices : 0;
  return all_us(rules, searches, costs) + map_us * static_cast<double>(searches.size()) <
         all_us(down, searches, costs);
}

}  // namespace bfslab::cuda
