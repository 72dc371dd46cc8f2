// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/compare.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

IntervalEstimate ratio(double low, double value, double high) {
  return {value, Interval{low, high}};
}

TEST(Compare, VerdictsFollowTheInterval) {
  EXPECT_EQ(verdict_of(ratio(0.8, 0.9, 0.95), 2), Judgement::faster);
  EXPECT_EQ(verdict_of(ratio(1.05, 1.1, 1.2), 2), Judgement::slower);
  EXPECT_EQ(verdict_of(ratio(0.99, 1.0, 1.01), 2), Judgement::same);
  EXPECT_EQ(verdict_of(ratio(1.005, 1.01, 1.015), 2), Judgement::same);  // however sure
  EXPECT_EQ(verdict_of(ratio(1.005, 1.01, 1.015), 0), Judgement::slower);
  EXPECT_EQ(verdict_of(ratio(0.9, 1.0, 1.1), 2), Judgement::undecided);
  EXPECT_EQ(verdict_of({0.5, {}}, 2), Judgement::undecided);  // without an interval
}

Comparison row(double low, double value, double high) {
  Comparison row;
  row.ratio = ratio(low, value, high);
  row.verdict = verdict_of(row.ratio, 2);
  return row;
}

TEST(Compare, ARuleTakesVerdictAndPercentage) {
  EXPECT_TRUE(FailRule("slower>5%").fails(row(1.03, 1.06, 1.1)));
  EXPECT_FALSE(FailRule("slower>5%").fails(row(1.01, 1.04, 1.1)));
  EXPECT_FALSE(FailRule("slower>5%").fails(row(0.9, 1.2, 1.5)));  // undecided
  EXPECT_TRUE(FailRule("slower").fails(row(1.01, 1.04, 1.1)));
  EXPECT_TRUE(FailRule("faster>50").fails(row(0.5, 0.6, 0.65)));  // 1.67 times as fast
  EXPECT_FALSE(FailRule("faster>70").fails(row(0.5, 0.6, 0.65)));
  EXPECT_TRUE(FailRule("undecided").fails(row(0.9, 1.2, 1.5)));
}

TEST(Compare, RulesAndKindsAreRefusedWhereTheyMakeNoSense) {
  for (const char* bad : {"", "slow", "slower>", "slower>x", "slower>5%%", "slower>-1", "same>3"}) {
    EXPECT_THROW(FailRule{bad}, InputError) << bad;
  }
  EXPECT_THROW(Allowed::parse("graphs,colours"), InputError);
  const Allowed some = Allowed::parse("graphs,polluted");
  EXPECT_TRUE(some.graphs && some.polluted);
  EXPECT_FALSE(some.sources || some.machines);
  EXPECT_FALSE(Allowed::parse("").graphs);
}

}  // namespace
}  // namespace bfslab
