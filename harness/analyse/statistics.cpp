// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/run/random_stream.hpp"

namespace bfslab {

namespace {

constexpr double kTail = 0.025;

std::size_t count_of(const SourceTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::size_t{0},
                         [](std::size_t sum, const auto& of) { return sum + of.size(); });
}

// The median of as many of them, drawn with replacement.
double drawn_median(const std::vector<double>& values, RandomStream& random) {
  if (values.size() == 1) return values.front();
  std::vector<double> drawn(values.size());
  for (double& each : drawn) each = values[random.below(values.size())];
  return median(std::move(drawn));
}

// `statistic` of resampled sources, by their numbers.
template <typename Statistic>
Interval bootstrap(std::size_t sources, const Statistic& statistic) {
  RandomStream random(sources);
  std::vector<std::size_t> drawn(sources);
  std::vector<double> values;
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (std::size_t& each : drawn) each = random.below(sources);
    values.push_back(statistic(drawn, random));
  }
  return {quantile(values, kTail), quantile(values, 1 - kTail)};
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, values.begin() + below);
  const double low = values[static_cast<std::size_t>(below)];
  const double part = place - static_cast<double>(below);
  if (part == 0) return low;
  return low + part * (*std::min_element(values.begin() + below + 1, values.end()) - low);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double geometric_mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const double each : values) sum += std::log(each);
  return std::exp(sum / static_cast<double>(values.size()));
}

IntervalEstimate median_time(const SourceTimes& times) {
  std::vector<double> medians;
  for (const auto& of : times) medians.push_back(median(of));
  IntervalEstimate estimate{median(medians), {}};
  if (count_of(times) < kLeastTimes) return estimate;
  estimate.interval = bootstrap(times.size(), [&](const auto& sources, RandomStream& random) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      medians[i] = drawn_median(times[sources[i]], random);
    }
    return median(medians);
  });
  return estimate;
}

IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); ++i)
    ratios.push_back(median(times[i]) / median(base[i]));
  IntervalEstimate estimate{geometric_mean(ratios), {}};
  if (std::min(count_of(times), count_of(base)) < kLeastTimes) return estimate;
  estimate.interval = bootstrap(times.size(), [&](const auto& sources, RandomStream& random) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const double above = drawn_median(times[sources[i]], random);
      ratios[i] = above / drawn_median(base[sources[i]], random);
    }
    return geometric_mean(ratios);
  });
  return estimate;
}

}  // namespace bfslab
