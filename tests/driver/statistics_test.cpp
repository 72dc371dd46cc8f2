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

// Sixteen sources of one repeat by each of five processes.
SourceTimes times_of_five(unsigned k) {
  SourceTimes all(16, ProcessTimes(5));
  for (unsigned s = 0; s < 16; ++s) {
    for (unsigned p = 0; p < 5; ++p) {
      all[s][p] = {(1 + 0.1 * ((7 * s + 3 * p + k) % 11)) * (1 + s / 8.0)};
    }
  }
  return all;
}

void expect_near(const IntervalEstimate& estimate, double value, double low, double high) {
  EXPECT_NEAR(estimate.value, value, 1e-12 * value);
  ASSERT_TRUE(estimate.interval.has_value());
  EXPECT_NEAR(estimate.interval->low, low, 1e-11 * low);
  EXPECT_NEAR(estimate.interval->high, high, 1e-11 * high);
}

// The numbers are those of plots/stats.py.
TEST(Statistics, IntervalsAreThoseOfTheFigures) {
  expect_near(median_time(times(0, 1)), 2.78125, 2.154170046647228, 3.5908732342367213);
  expect_near(paired_ratio(times(4, 1.5), times(0, 1), kSame), 1.505694339519448, 1.376559693767083,
              1.64694306707233);
  expect_near(median_time(times_of_five(0)), 2.8937500000000003, 2.2178232889298295,
              3.7756791103679963);
  expect_near(paired_ratio(times_of_five(4), times_of_five(0), kSame), 1.000922502121572,
              0.9411404283398932, 1.064501986191896);
  expect_near(paired_ratio(times_of_five(4), times_of_five(0), Pairing::other_processes),
              1.000922502121572, 0.9390361606979375, 1.066887407731655);
}

TEST(Statistics, RatesHaveHarmonicMeans) {
  const std::vector<double> edges = {8, 8, 0};
  const IntervalEstimate rate = mean_rate({{{2}}, {{4, 4, 9}}, {{1}}}, edges);
  EXPECT_DOUBLE_EQ(rate.value, 2 / (1 / 4.0 + 1 / 2.0));  // the last source has no edge
  EXPECT_FALSE(rate.interval);
  EXPECT_TRUE(std::isnan(mean_rate({{{2}}}, std::vector<double>{0}).value));
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
  EXPECT_DOUBLE_EQ(exact.interval->low, exact.value);
  EXPECT_DOUBLE_EQ(exact.interval->high, exact.value);
}

TEST(Statistics, FewerThanFourSourcesHaveNoInterval) {
  EXPECT_FALSE(median_time({{{1, 2, 3}}, {{4, 5, 6}}, {{7, 8, 9}}}).interval.has_value());
  EXPECT_TRUE(median_time({{{1}}, {{4}}, {{7}}, {{8}}}).interval.has_value());
  const SourceTimes three = {{{1}, {2}, {3}, {4}}, {{4}, {5}, {6}, {7}}, {{7}, {8}, {9}, {9}}};
  EXPECT_FALSE(median_time(three).interval.has_value());
  EXPECT_FALSE(paired_ratio(three, three, kSame).interval.has_value());
  EXPECT_FALSE(paired_ratio(three, three, Pairing::other_processes).interval.has_value());
  // A source that no process searched on both sides makes no pair.
  const SourceTimes four = {{{1}}, {{2}}, {{3}}, {{4}}};
  const SourceTimes others = {{{1}}, {{2}}, {{3}}, {{}, {4}}};
  EXPECT_TRUE(paired_ratio(four, four, kSame).interval.has_value());
  EXPECT_FALSE(paired_ratio(four, others, kSame).interval.has_value());
  EXPECT_TRUE(paired_ratio(four, others, Pairing::other_processes).interval.has_value());
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
}

// Sixteen sources in processes of different luck, and nothing else that scatters.
SourceTimes lucky(double scale, const std::vector<double>& luck) {
  SourceTimes all(16);
  for (unsigned s = 0; s < 16; ++s) {
    for (const double of : luck) all[s].push_back({scale * of * (1 + s / 8.0)});
  }
  return all;
}

TEST(Statistics, IntervalsKnowHowFarProcessesDiffer) {
  const std::vector<double> luck = {0.8, 1.25, 0.8, 1.25};
  const SourceTimes base = lucky(1, luck);
  // The luck of processes that measured both is in both.
  const IntervalEstimate same = paired_ratio(lucky(2, luck), base, kSame);
  EXPECT_NEAR(same.value, 2, 1e-12);
  EXPECT_NEAR(same.interval->low, 2, 1e-12);
  EXPECT_NEAR(same.interval->high, 2, 1e-12);
  EXPECT_FALSE(same.sources_alone);
  // One in eight draws of three has the longer time alone: Student's t with three degrees of
  // freedom.
  const double half = 3.182 / 1.96 * std::log(1.25);
  const SourceTimes steady = lucky(1, {1, 1, 1, 1});
  const IntervalEstimate apart = paired_ratio(base, steady, Pairing::other_processes);
  EXPECT_NEAR(apart.value, 1, 1e-12);
  EXPECT_NEAR(std::log(apart.interval->high), half, 0.05 * half);
  EXPECT_NEAR(std::log(apart.interval->low), -half, 0.05 * half);
  const IntervalEstimate both = paired_ratio(lucky(2, luck), base, Pairing::other_processes);
  EXPECT_NEAR(both.value, 2, 1e-12);
  // Twice the variance, of six degrees of freedom.
  const double wider = 2.447 / 3.182 * std::sqrt(2.0) * half;
  EXPECT_NEAR(std::log(both.interval->high / 2), wider, 0.05 * wider);
  // Three are too few to say how far they differ.
  const IntervalEstimate three =
      paired_ratio(lucky(1, {0.8, 1, 1.25}), lucky(1, {1, 1, 1}), Pairing::other_processes);
  EXPECT_TRUE(three.sources_alone);
  EXPECT_NEAR(three.interval->high, 1, 1e-12);
}

// If the true value is known, some 95 % of the intervals hold it.
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
  EXPECT_GE(held, kExperiments * 90 / 100);
  EXPECT_LE(held, kExperiments * 99 / 100);
}

}  // namespace
}  // namespace bfslab
