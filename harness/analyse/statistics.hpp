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

// Times of one source, in ms: of each process (`invocations` of a spec) the repeats that it
// measured, which may be none.
using ProcessTimes = std::vector<std::vector<double>>;
// Times of one configuration on one graph, by source.
using SourceTimes = std::vector<ProcessTimes>;

// Percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13)
// in stages, as trials are nested: processes are drawn, the same ones for all sources; then
// sources; then the repeats of each in each process. So an interval covers the luck of processes,
// the choice of sources and the noise of trials.
inline constexpr std::size_t kResamples = 2000;
// Of fewer, an interval would be nothing but their extremes, which all lie on one side of the truth
// too often.
inline constexpr std::size_t kLeastTimes = 6;

// The median over sources of the median over processes of the median of each one's repeats, as the
// figures have it. Every source has a time.
IntervalEstimate median_time(const SourceTimes& times);

// Whether the processes of two sides are the same ones, which measured both in turn.
enum class Pairing { same_processes, other_processes };

// The geometric mean over sources of (time) / (time of `base`), each of which is the geometric mean
// over processes of the median of their repeats: how many times as long it takes. Both have the
// same sources in the same order, each with a time. Processes are drawn once for both sides where
// they are the same, and else for each side.
IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base, Pairing pairing);

}  // namespace bfslab
