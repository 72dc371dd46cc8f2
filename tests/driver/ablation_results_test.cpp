// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/ablation_results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/random_stream.hpp"

namespace bfslab {
namespace {

constexpr std::size_t kSources = 16;

// Returns a number that is normal enough: the sum of twelve uniform ones, less six.
double normal(RandomStream& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

// A case on graph "g" whose time from source s is (1 + s) * `scale` * exp(`noise` * normal).
ResultCell cell(const std::string& name, double scale, double noise, RandomStream& random) {
  ResultCell made;
  made.key.case_name = name;
  made.key.graph = "g";
  made.series = name;
  for (std::size_t s = 0; s < kSources; ++s) {
    made.times[static_cast<vertex_t>(s)] = {
        {static_cast<double>(1 + s) * scale * std::exp(noise * normal(random))}};
  }
  made.statuses[Status::ok] = kSources;
  made.timed = kSources;
  return made;
}

// An ablation of `count` techniques t0, t1, ..., each off in a case of its name.
Ablation ablation(std::size_t count) {
  Ablation made;
  made.cases.push_back({"all", {}});
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "t" + std::to_string(i);
    made.cases.push_back({"no " + name, {}});
    made.techniques.push_back({name, "all", "no " + name, "all"});
  }
  return made;
}

GraphAblation evaluated(const Ablation& ablation, std::vector<ResultCell> cells) {
  Experiment experiment;
  experiment.cells = std::move(cells);
  auto graphs = evaluate(ablation, experiment, [] {});
  EXPECT_EQ(graphs.size(), 1U);
  return graphs.at(0);
}

TEST(AblationResults, TechniquesComeInTheOrderOfTheirPlantedGains) {
  RandomStream random(1);
  const Ablation made = ablation(4);
  const GraphAblation graph =
      evaluated(made, {cell("all", 1, 0.01, random), cell("no t0", 1, 0.001, random),
                       cell("no t1", 1.5, 0.01, random), cell("no t2", 0.5, 0.01, random),
                       cell("no t3", 1.2, 0.01, random)});
  std::vector<std::string> order;
  for (const TechniqueGain& each : graph.techniques) order.push_back(each.technique->name);
  EXPECT_EQ(order, (std::vector<std::string>{"t1", "t3", "t0", "t2"}));
  EXPECT_NEAR(graph.techniques[0].gain->value, 1.5, 0.03);
  EXPECT_EQ(graph.techniques[0].worth, Worth::pays);
  EXPECT_EQ(graph.techniques[1].worth, Worth::pays);
  EXPECT_EQ(graph.techniques[2].worth, Worth::same);
  EXPECT_EQ(graph.techniques[3].worth, Worth::costs);
}

// Forty techniques without any effect: at 95 % each, some would seem to have one.
TEST(AblationResults, OfManyTechniquesWithoutEffectNoneSeemsToHaveOne) {
  RandomStream random(3);
  constexpr std::size_t kMany = 40;
  const Ablation made = ablation(kMany);
  std::vector<ResultCell> cells = {cell("all", 1, 0.1, random)};
  for (std::size_t i = 0; i < kMany; ++i) {
    cells.push_back(cell("no t" + std::to_string(i), 1, 0.1, random));
  }
  const GraphAblation graph = evaluated(made, cells);
  std::size_t uncorrected = 0;
  for (const TechniqueGain& each : graph.techniques) {
    EXPECT_EQ(each.worth, Worth::undecided) << each.technique->name;
    ResultCell other = *std::ranges::find_if(
        cells, [&](const ResultCell& one) { return one.key.case_name == each.technique->without; });
    other.key.case_name = "no t0";
    const Ablation single = ablation(1);
    const GraphAblation alone = evaluated(single, {cells[0], other});
    const Worth worth = alone.techniques[0].worth;
    if (worth == Worth::pays || worth == Worth::costs) ++uncorrected;
  }
  EXPECT_GT(uncorrected, 0U);
  EXPECT_EQ(graph.compared, kMany);
}

TEST(AblationResults, TheCorrectionIsBonferronis) {
  IntervalEstimate estimate{2, Interval{1.9, 2.1}, false, 0.1, 15};
  EXPECT_EQ(corrected(estimate, 1).interval->low, 1.9);
  // Student's t of 15 degrees below which 1 - 0.025 / 10 lie: 3.2860 (tables).
  EXPECT_NEAR(std::log(corrected(estimate, 10).interval->high / 2), 0.32860, 1e-5);
  EXPECT_NEAR(std::log(2 / corrected(estimate, 10).interval->low), 0.32860, 1e-5);
  estimate.interval.reset();
  EXPECT_FALSE(corrected(estimate, 10).interval);
}

TEST(AblationResults, AFailedOrMissingCaseHasNoGainAndIsNotCounted) {
  RandomStream random(5);
  ResultCell failed = cell("no t0", 2, 0.01, random);
  failed.statuses[Status::crash] = 1;
  const Ablation made = ablation(3);
  const GraphAblation graph =
      evaluated(made, {cell("all", 1, 0.01, random), failed, cell("no t2", 2, 0.01, random)});
  EXPECT_EQ(graph.compared, 1U);
  EXPECT_EQ(graph.techniques[0].technique->name, "t2");
  EXPECT_FALSE(graph.techniques[1].gain);
  EXPECT_FALSE(graph.techniques[2].gain);
  EXPECT_EQ(graph.techniques[2].worth, Worth::undecided);
}

TEST(AblationResults, AnUnsupportedCaseIsNotDisturbed) {
  RandomStream random(6);
  ResultCell unsupported = cell("no t0", 2, 0.01, random);
  unsupported.times.clear();
  unsupported.statuses = {{Status::unsupported, 32}};
  const Ablation made = ablation(1);
  const GraphAblation graph = evaluated(made, {cell("all", 1, 0.01, random), unsupported});
  EXPECT_FALSE(graph.techniques[0].gain);
  EXPECT_FALSE(graph.techniques[0].disturbed);
}

TEST(AblationResults, PollutedTrialsAloneDecideNothing) {
  RandomStream random(7);
  ResultCell disturbed = cell("no t0", 2, 0.01, random);
  std::swap(disturbed.times, disturbed.dirty_times);
  const Ablation made = ablation(1);
  const GraphAblation graph = evaluated(made, {cell("all", 1, 0.01, random), disturbed});
  EXPECT_GT(graph.techniques[0].gain->interval->low, 1);
  EXPECT_TRUE(graph.techniques[0].disturbed);
  EXPECT_EQ(graph.techniques[0].worth, Worth::undecided);
}

GraphAblation of_pair(double both, double first, double second, double neither) {
  RandomStream random(9);
  Ablation made;
  made.cases.push_back({"both", {}});
  made.pairs.push_back({"a", "b", "both", "a", "b", "neither"});
  return evaluated(made, {cell("both", both, 0.01, random), cell("a", first, 0.01, random),
                          cell("b", second, 0.01, random), cell("neither", neither, 0.01, random)});
}

TEST(AblationResults, PairsHelpHurtOrAreIndependent) {
  const GraphAblation help = of_pair(1, 4, 4, 8);  // each gains 2 alone, and 4 beside the other
  EXPECT_NEAR(help.pairs[0].ratio->value, 2, 0.05);
  EXPECT_EQ(help.pairs[0].interaction, Interaction::help);
  const GraphAblation hurt = of_pair(2, 2, 2, 4);  // the second gains nothing beside the first
  EXPECT_NEAR(hurt.pairs[0].ratio->value, 0.5, 0.02);
  EXPECT_EQ(hurt.pairs[0].interaction, Interaction::hurt);
  const GraphAblation apart = of_pair(1, 2, 3, 6);
  EXPECT_EQ(apart.pairs[0].interaction, Interaction::independent);
}

}  // namespace
}  // namespace bfslab
