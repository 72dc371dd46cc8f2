// SPDX-License-Identifier: Apache-2.0
#include "harness/run/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace bfslab {
namespace {

Spec small_spec() {
  return parse_spec(R"({"name": "t", "graphs": ["path:vertices=4", "path:vertices=5",
      "path:vertices=6"], "sources": {"count": 2, "seed": 1, "rule": "any"}, "repeats": 3,
      "record": ["time", "levels"],
      "cases": {"one": {"engine": "sequential"}, "two": {"engine": "top-down"}}})",
                    "t.json");
}

TEST(Plan, GlobsSeeCaseAndGraph) {
  const Spec spec = small_spec();
  EXPECT_EQ(make_plan(spec, {}, {}).size(), 3U);
  const auto plan = make_plan(spec, {"two/*=5", "one/path:vertices=6"}, {});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].graph, 1U);
  EXPECT_EQ(plan[0].configurations, std::vector<std::size_t>{1});
  EXPECT_EQ(plan[1].configurations, std::vector<std::size_t>{0});
  EXPECT_THROW(make_plan(spec, {"three/*"}, {}), InputError);
}

TEST(Plan, CountsRepeatsAndInstrumentedTrials) {
  const Spec spec = small_spec();
  EXPECT_EQ(planned_trials(spec, make_plan(spec, {}, {})[0], 2), 2U * 2U * (3U + 1U));
}

TEST(Plan, ShardsPartitionTheGroups) {
  Spec spec = small_spec();
  spec.isolate = true;  // six groups
  std::multiset<std::pair<std::size_t, std::size_t>> seen;
  for (unsigned i = 1; i <= 4; ++i) {
    for (const TrialGroup& group : make_plan(spec, {}, Shard{i, 4})) {
      ASSERT_EQ(group.configurations.size(), 1U);
      seen.emplace(group.graph, group.configurations[0]);
    }
  }
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ((std::set<std::pair<std::size_t, std::size_t>>(seen.begin(), seen.end()).size()), 6U);
}

TEST(Plan, GroupsAreOfOneNumberOfRanks) {
  Spec spec = small_spec();
  for (const unsigned ranks : {3U, 2U, 1U}) {
    spec.configurations.push_back(spec.configurations[0]);
    spec.configurations.back().ranks = ranks;
    spec.configurations.back().gpus_per_rank = ranks;  // may differ within a group
  }
  const auto plan = make_plan(spec, {}, Shard{});
  ASSERT_EQ(plan.size(), 9U);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].graph, i / 3);
    EXPECT_EQ(plan[i].ranks, i % 3 + 1);
    EXPECT_EQ(plan[i].configurations,
              (std::vector<std::vector<std::size_t>>{{0, 1, 4}, {3}, {2}})[i % 3]);
  }
  EXPECT_NE(describe_plan(spec, plan).find("worker 2: path:vertices=4, 2 ranks\n"),
            std::string::npos);
  spec.isolate = true;
  const auto fourths = make_plan(spec, {}, Shard{4, 5});
  ASSERT_EQ(fourths.size(), 3U);
  for (const TrialGroup& group : fourths) {
    EXPECT_EQ(group.configurations, std::vector<std::size_t>{3});
    EXPECT_EQ(group.ranks, 2U);
  }
}

TEST(Plan, ShardSyntax) {
  EXPECT_EQ(Shard::parse("2/4").index, 2U);
  for (const char* bad : {"", "2", "0/4", "5/4", "2/", "/4", "2/4x", "-1/4", "a/b"}) {
    EXPECT_THROW(Shard::parse(bad), InputError) << bad;
  }
}

TEST(Plan, RoundsArePermutationsThatDiffer) {
  std::set<std::vector<std::size_t>> orders;
  for (unsigned repeat = 0; repeat < 4; ++repeat) {
    for (std::size_t source = 0; source < 8; ++source) {
      auto order = round_order(5, 1, repeat, source);
      EXPECT_EQ(order, round_order(5, 1, repeat, source));
      orders.insert(order);
      std::ranges::sort(order);
      EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    }
  }
  EXPECT_GT(orders.size(), 20U);
}

}  // namespace
}  // namespace bfslab
