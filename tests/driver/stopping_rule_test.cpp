// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stopping_rule.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

RepeatRule rule(unsigned minimum, unsigned maximum, double error, double budget) {
  RepeatRule out;
  out.minimum = minimum;
  out.maximum = maximum;
  out.relative_error_pct = error;
  out.budget_s = budget;
  return out;
}

TEST(MedianError, NeedsSixTimes) {
  // 1 - 2 / 2^5 = 93.75 % is too little, 1 - 2 / 2^6 = 96.9 % is enough: the extremes of six.
  EXPECT_FALSE(median_relative_error_pct({}).has_value());
  EXPECT_FALSE(median_relative_error_pct({1, 1, 1, 1, 1}).has_value());
  const auto six = median_relative_error_pct({12, 8, 10, 9, 11, 10});
  ASSERT_TRUE(six.has_value());
  EXPECT_DOUBLE_EQ(*six, 100 * (12.0 - 8.0) / 2 / 10);
}

TEST(MedianError, TakesTheTabulatedOrderStatistics) {
  // The ranks of the textbook's table for 95 %: n = 20 -> 6 and 15, n = 50 -> 18 and 33.
  std::vector<double> twenty;
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  EXPECT_DOUBLE_EQ(*median_relative_error_pct(twenty), 100 * (15.0 - 6.0) / 2 / 10.5);
  std::vector<double> fifty;
  for (int i = 1; i <= 50; ++i) fifty.push_back(i);
  EXPECT_DOUBLE_EQ(*median_relative_error_pct(fifty), 100 * (33.0 - 18.0) / 2 / 25.5);
}

TEST(NeedsRepeat, FixedCount) {
  EXPECT_TRUE(needs_repeat(rule(3, 3, 0, 0), {1, 1}, 0));
  EXPECT_FALSE(needs_repeat(rule(3, 3, 0, 0), {1, 1, 1}, 0));
}

TEST(NeedsRepeat, UntilTheErrorIsSmall) {
  const std::vector<double> steady(8, 2.0);
  const std::vector<double> noisy = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_FALSE(needs_repeat(rule(2, 50, 1, 0), steady, 0));
  EXPECT_TRUE(needs_repeat(rule(2, 50, 1, 0), noisy, 0));
  EXPECT_TRUE(needs_repeat(rule(2, 50, 1, 0), {2, 2, 2}, 0));  // no interval yet
  EXPECT_TRUE(needs_repeat(rule(9, 50, 1, 0), steady, 0));     // the minimum comes first
  EXPECT_FALSE(needs_repeat(rule(2, 8, 1, 0), noisy, 0));      // the maximum last
}

TEST(NeedsRepeat, TheBudgetEndsItButNeverTheMinimum) {
  EXPECT_FALSE(needs_repeat(rule(2, 50, 0, 1), {400, 400, 400}, 1.2));
  EXPECT_TRUE(needs_repeat(rule(2, 50, 0, 1), {400, 400}, 0.8));
  EXPECT_TRUE(needs_repeat(rule(2, 50, 0, 1), {4000}, 4.0));
}

}  // namespace
}  // namespace bfslab
