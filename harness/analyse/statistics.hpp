// SPDX-License-Identifier: Apache-2.0
// The statistics of every table that bfslab prints: medians, geometric means of paired ratios, and
// bootstrap intervals. Deterministic: the same times give the same digits on every machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bfslab {

// By linear interpolation between order statistics (type 7 of Hyndman and Fan, The American
// Statistician 1996); NaN of nothing.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);
double mean_of(std::span<const double> values);
// Standard deviation of the sample; 0 of a single value.
double deviation_of(std::span<const double> values);
// Of positive values; NaN of nothing.
double geometric_mean(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

struct IntervalEstimate {
  double value = 0;
  std::optional<Interval> interval;  // 95 %; none of fewer than kLeastTimes times
};

// Times of one configuration on one graph, in ms: one list for each source, its repeats.
using SourceTimes = std::vector<std::vector<double>>;

// Percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13)
// in two stages, as trials are nested: sources are drawn, then the repeats of each. So an interval
// covers both the choice of sources and the noise of trials.
inline constexpr std::size_t kResamples = 2000;
// Of fewer, an interval would be nothing but their extremes, which all lie on one side of the truth
// too often.
inline constexpr std::size_t kLeastTimes = 6;

// The median over sources of the median of each one's repeats, as the figures have it.
IntervalEstimate median_time(const SourceTimes& times);

// The geometric mean over sources of (median of `times`) / (median of `base`): how many times as
// long it takes. Both have the same sources in the same order.
IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base);

}  // namespace bfslab
