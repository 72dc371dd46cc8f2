// SPDX-License-Identifier: Apache-2.0
// The statistics of every table that bfslab prints: medians, geometric means of paired ratios, and
// bootstrap intervals (docs/statistics.md). The same times give the same numbers on every machine.
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
// The geometric mean of positive values; NaN if there are none.
double geometric_mean(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

struct IntervalEstimate {
  double value = 0;
  std::optional<Interval> interval;  // 95 %; none where a side has fewer than kFewest sources
  bool sources_alone = false;        // the interval does not cover the variation between processes
  // The standard error of the value's logarithm, and its degrees of freedom, of which the interval
  // is made.
  double log_error = 0;
  double freedom = 1;
};

// Returns the estimate with a wider interval, so that `comparisons` such intervals, 1 or more, all
// contain their true values with 95 % (Bonferroni).
IntervalEstimate corrected(const IntervalEstimate& estimate, std::size_t comparisons);

// Times of one source, in ms: the repeats of each process (`invocations` of a spec), possibly none.
using ProcessTimes = std::vector<std::vector<double>>;
// Times of one configuration on one graph, by source.
using SourceTimes = std::vector<ProcessTimes>;

// docs/statistics.md defines values and intervals; plots/stats.py computes the same.
inline constexpr std::size_t kResamples = 1000;
inline constexpr std::size_t kFewest = 4;  // sources, or processes, whose spread can be judged

// The median over sources of the median over processes of the median of each one's repeats. Every
// source has a time.
IntervalEstimate median_time(const SourceTimes& times);

// The harmonic mean over sources of that over processes of (edges of the source) / (median of the
// process's repeats), in edges per ms. `edges` has one count for each source; a source of none is
// left out.
IntervalEstimate mean_rate(const SourceTimes& times, std::span<const double> edges);

// Says whether the processes of two sides are the same ones, which measured both in turn.
enum class Pairing { same_processes, other_processes };

// The geometric mean over sources of (time) / (time of `base`): how many times as long it takes.
// Both have the same sources in the same order. Of the same processes each one's times make a
// ratio; otherwise each process of one side meets each of the other. A source without such a pair
// is left out; the value is NaN where all are.
IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base, Pairing pairing);

}  // namespace bfslab
