// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/run/random_stream.hpp"

namespace bfslab {
namespace {

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(median({5, 1, 9}), 5);
  EXPECT_DOUBLE_EQ(median({5, 1, 9, 2}), 3.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, MeansAndDeviation) {
  const std::vector<double> values = {1, 4, 16};
  EXPECT_DOUBLE_EQ(geometric_mean(values), 4);
  EXPECT_DOUBLE_EQ(mean_of(values), 7);
  EXPECT_DOUBLE_EQ(deviation_of(values), std::sqrt((36.0 + 9 + 81) / 2));
  EXPECT_EQ(deviation_of(std::vector<double>{3}), 0);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

constexpr Pairing kSame = Pairing::same_processes;

// Sixteen sources of three repeats, by one process.
SourceTimes times(unsigned k, double scale) {
  SourceTimes all(16, ProcessTimes(1));
  for (unsigned s = 0; s < 16; ++s) {
    for (unsigned r = 0; r < 3; ++r) {
      all[s][0].push_back(scale * (1 + 0.1 * ((7 * s + 3 * r + k) % 11)) * (1 + s / 8.0));
    }
  }
  return all;
}

void expect_near(const IntervalEstimate& estimate, double value, double low, double high) {
  EXPECT_NEAR(estimate.value, value, 1e-12 * value);
  ASSERT_TRUE(estimate.interval.has_value());
  // The expected bounds are of 100,000 resamples; those of 2,000 scatter around them.
  EXPECT_NEAR(estimate.interval->low, low, 0.03 * low);
  EXPECT_NEAR(estimate.interval->high, high, 0.03 * high);
}

// Against a bootstrap of the same two stages in NumPy, with another generator.
TEST(Statistics, IntervalsAreThoseOfAnotherImplementation) {
  expect_near(median_time(times(0, 1)), 2.78125, 2.1625, 3.5625);
  expect_near(paired_ratio(times(4, 1.5), times(0, 1), kSame), 1.505694339519448, 1.30996349,
              1.73591532);
  expect_near(median_time({{{3, 1, 2, 5, 4, 9}}}), 3.5, 1.5, 7);
}

TEST(Statistics, AreDeterministic) {
  const IntervalEstimate a = paired_ratio(times(4, 1.5), times(0, 1), kSame);
  const IntervalEstimate b = paired_ratio(times(4, 1.5), times(0, 1), kSame);
  EXPECT_EQ(a.interval->low, b.interval->low);
  EXPECT_EQ(a.interval->high, b.interval->high);
}

TEST(Statistics, PairsRemoveWhatSourcesHaveInCommon) {
  const IntervalEstimate twice = paired_ratio(times(0, 2), times(0, 1), kSame);
  EXPECT_DOUBLE_EQ(twice.value, 2);
  SourceTimes slow;
  SourceTimes base;
  for (int s = 0; s < 8; ++s) {
    base.push_back({{std::pow(10, s)}});  // eight decades apart
    slow.push_back({{2 * std::pow(10, s)}});
  }
  const IntervalEstimate exact = paired_ratio(slow, base, kSame);
  EXPECT_DOUBLE_EQ(exact.interval->low, 2);
  EXPECT_DOUBLE_EQ(exact.interval->high, 2);
}

TEST(Statistics, TooFewTimesHaveNoInterval) {
  EXPECT_FALSE(median_time({{{1, 2, 3}}, {{4, 5}}}).interval.has_value());
  EXPECT_TRUE(median_time({{{1, 2, 3}}, {{4, 5, 6}}}).interval.has_value());
  EXPECT_TRUE(median_time({{{1, 2}, {3}}, {{4}, {5, 6}}}).interval.has_value());
  const SourceTimes six = {{{1, 2, 3}}, {{4, 5, 6}}};
  EXPECT_FALSE(paired_ratio(six, {{{1}}, {{2}}}, kSame).interval.has_value());
}

TEST(Statistics, AProcessHasOneTimeOfASource) {
  // Its repeats do not outvote another process's.
  const SourceTimes uneven = {{{1, 3}, {10}}, {{4, 4, 4, 4}, {16}}};
  EXPECT_DOUBLE_EQ(median_time(uneven).value, (6.0 + 10) / 2);
  const SourceTimes ones = {{{1}, {1}}, {{1}, {1}}};
  EXPECT_DOUBLE_EQ(paired_ratio(uneven, ones, kSame).value,
                   std::sqrt(std::sqrt(2.0 * 10) * std::sqrt(4.0 * 16)));
  // One that measured nothing of a source has no part in it.
  const SourceTimes gap = {{{}, {2, 2}}, {{8}, {8}}};
  EXPECT_DOUBLE_EQ(median_time(gap).value, 5);
  EXPECT_TRUE(std::isfinite(median_time({{{}, {2, 2}}, {{8, 8}, {8, 8}}}).interval->high));
}

// Sixteen sources in three processes of different luck, and nothing else that scatters.
SourceTimes lucky(double scale, const std::vector<double>& luck) {
  SourceTimes all(16);
  for (unsigned s = 0; s < 16; ++s) {
    for (const double of : luck) all[s].push_back({scale * of * (1 + s / 8.0)});
  }
  return all;
}

TEST(Statistics, IntervalsKnowHowFarProcessesDiffer) {
  const SourceTimes base = lucky(1, {0.8, 1, 1.25});
  // The luck of processes that measured both is in both; one in 27 draws has but one process.
  const IntervalEstimate same = paired_ratio(lucky(2, {0.8, 1, 1.25}), base, kSame);
  EXPECT_NEAR(same.value, 2, 1e-12);
  EXPECT_NEAR(same.interval->low, 2, 1e-12);
  EXPECT_NEAR(same.interval->high, 2, 1e-12);
  const SourceTimes steady = lucky(1, {1, 1, 1});
  const IntervalEstimate apart = paired_ratio(base, steady, Pairing::other_processes);
  EXPECT_NEAR(apart.value, 1, 1e-12);
  EXPECT_NEAR(apart.interval->low, 0.8, 1e-12);
  EXPECT_NEAR(apart.interval->high, 1.25, 1e-12);
  const IntervalEstimate both =
      paired_ratio(lucky(2, {0.8, 1, 1.25}), base, Pairing::other_processes);
  EXPECT_NEAR(both.value, 2, 1e-12);
  EXPECT_LT(both.interval->low, 2 * 0.85);
  EXPECT_GT(both.interval->high, 2 * 1.15);
}

// If the true value is known, nearly 95 % of the intervals hold it (a bootstrap's are
// somewhat too narrow for 20 values).
TEST(Statistics, IntervalsHoldTheTruthAsOftenAsTheySay) {
  RandomStream random(1);
  const auto uniform = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  int held = 0;
  constexpr int kExperiments = 200;
  for (int i = 0; i < kExperiments; ++i) {
    SourceTimes drawn;
    SourceTimes ones;
    for (int s = 0; s < 20; ++s) {
      drawn.push_back({{std::exp(0.5 * (uniform() - 0.5))}});  // whose geometric mean is 1
      ones.push_back({{1}});
    }
    const Interval interval = *paired_ratio(drawn, ones, kSame).interval;
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, kExperiments * 88 / 100);
  EXPECT_LE(held, kExperiments * 99 / 100);
}

}  // namespace
}  // namespace bfslab
