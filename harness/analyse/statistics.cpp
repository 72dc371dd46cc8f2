// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/run/random_stream.hpp"

namespace bfslab {

namespace {

// 97.5 % of a normal distribution lie below it.
constexpr double kNormal = 1.959963984540054;
constexpr std::uint64_t kSeed = 15;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns the median of the repeats of each process; NaN if it has none.
std::vector<double> by_process(const ProcessTimes& source) {
  std::vector<double> medians;
  for (const std::vector<double>& repeats : source) medians.push_back(median(repeats));
  return medians;
}

std::vector<double> without_nan(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

double known_median(std::vector<double> values) { return median(without_nan(std::move(values))); }

double known_mean(std::vector<double> values) {
  values = without_nan(std::move(values));
  return values.empty() ? kNone : mean_of(values);
}

// Places of the count - 1 things that resample `row` draws of `count`: output row * 2^32 + k of
// SplitMix64 is the k-th one's, its upper 32 bits times count, divided by 2^32.
std::vector<std::size_t> places(std::uint64_t row, std::size_t count) {
  std::vector<std::size_t> drawn;
  RandomStream random(kSeed + (row << 32) * RandomStream::kStep);
  for (std::size_t k = 0; k + 1 < count; ++k)
    drawn.push_back(((random.next() >> 32) * count) >> 32);
  return drawn;
}

// One number in each resample of one factor: `count` sources, or processes.
struct Factor {
  std::vector<double> drawn;
  std::size_t count = 0;
};

// `statistic` takes places of the things that are drawn.
template <typename Statistic>
Factor factor(std::size_t count, const Statistic& statistic) {
  Factor result{{}, count};
  for (std::size_t row = 0; row < kResamples; ++row) {
    result.drawn.push_back(statistic(places(row, count)));
  }
  result.drawn = without_nan(std::move(result.drawn));
  return result;
}

double known_harmonic_mean(std::vector<double> values) {
  for (double& each : values) each = 1 / each;
  return 1 / known_mean(std::move(values));
}

std::vector<double> taken(const std::vector<double>& values,
                          const std::vector<std::size_t>& places) {
  std::vector<double> result;
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

// Uses the expansion of Cornish and Fisher. 97.5 % of Student's distribution lie below it; of 3
// degrees of freedom or more its error is below 0.1 %.
double student_t(double n) {
  const double z = kNormal;
  const auto power = [z](int exponent) { return std::pow(z, exponent); };
  return z + (power(3) + z) / (4 * n) + (5 * power(5) + 16 * power(3) + 3 * z) / (96 * n * n) +
         (3 * power(7) + 19 * power(5) + 17 * power(3) - 15 * z) / (384 * n * n * n) +
         (79 * power(9) + 776 * power(7) + 1482 * power(5) - 1920 * power(3) - 945 * z) /
             (92160 * n * n * n * n);
}

// Sets the interval around the estimate's logarithm, `log`, by the factors' logarithms.
void set_interval(double log, const std::vector<Factor>& factors, IntervalEstimate& estimate) {
  double total = 0;
  double by_freedom = 0;
  for (const Factor& each : factors) {
    if (each.drawn.size() < 2) return;
    // The middle 95 % give the deviation, so that single resamples far away do not.
    const double width = quantile(each.drawn, 0.975) - quantile(each.drawn, 0.025);
    const double variance = std::pow(width / (2 * kNormal), 2);
    total += variance;
    by_freedom += variance * variance / static_cast<double>(each.count - 1);
  }
  if (total < 1e-24) total = 0;  // rounding
  // Satterthwaite, Biometrics Bulletin 1946.
  estimate.freedom = total > 0 ? total * total / by_freedom : 1;
  estimate.log_error = std::sqrt(total);
  const double half = student_t(estimate.freedom) * estimate.log_error;
  estimate.interval = Interval{std::exp(log - half), std::exp(log + half)};
}

// One row per source, one column per process; NaN if a process did not search from a source.
using TimeTable = std::vector<std::vector<double>>;

std::size_t processes_of(const TimeTable& table) {
  return table.empty() ? 0 : table.front().size();
}

// Makes rows equally long, without the sources and the processes that have no number.
TimeTable compact(TimeTable table) {
  std::erase_if(table, [](const auto& source) { return without_nan(source).empty(); });
  std::size_t most = 0;
  for (const auto& source : table) most = std::max(most, source.size());
  TimeTable kept(table.size());
  for (std::size_t p = 0; p < most; ++p) {
    const auto has = [&](const auto& source) {
      return p < source.size() && !std::isnan(source[p]);
    };
    if (std::ranges::none_of(table, has)) continue;
    for (std::size_t s = 0; s < table.size(); ++s) {
      kept[s].push_back(has(table[s]) ? table[s][p] : kNone);
    }
  }
  return kept;
}

TimeTable table_of(const SourceTimes& times) {
  TimeTable table;
  for (const ProcessTimes& source : times) table.push_back(by_process(source));
  return table;
}

TimeTable log_ratios(const SourceTimes& times, const SourceTimes& base) {
  TimeTable table = table_of(times);
  const TimeTable below = table_of(base);
  for (std::size_t s = 0; s < table.size(); ++s) {
    for (std::size_t p = 0; p < table[s].size(); ++p) {
      table[s][p] = p < below[s].size() ? std::log(table[s][p] / below[s][p]) : kNone;
    }
  }
  return compact(std::move(table));
}

TimeTable logs_of(const SourceTimes& times) {
  TimeTable table = table_of(times);
  for (std::vector<double>& source : table) {
    for (double& time : source) time = std::log(time);
  }
  return compact(std::move(table));
}

std::vector<double> means_of(const TimeTable& table) {
  std::vector<double> means;
  for (const std::vector<double>& source : table) means.push_back(known_mean(source));
  return means;
}

// Draws the processes of `table`: `sign` times the means of those drawn, by source, plus `added`.
Factor process_factor(const TimeTable& table, double sign, const std::vector<double>& added) {
  return factor(processes_of(table), [&](const std::vector<std::size_t>& drawn) {
    std::vector<double> means;
    for (std::size_t s = 0; s < table.size(); ++s) {
      means.push_back(sign * known_mean(taken(table[s], drawn)) + added[s]);
    }
    return known_mean(std::move(means));
  });
}

// Returns the mean, of the kind `mean`, over sources of that over processes. `table` is compact.
IntervalEstimate mean_of_table(const TimeTable& table, double (*mean)(std::vector<double>)) {
  std::vector<double> means;
  for (const std::vector<double>& source : table) means.push_back(mean(source));
  const std::size_t processes = processes_of(table);
  IntervalEstimate estimate{mean(means), {}, processes < kFewest};
  if (means.size() < kFewest) return estimate;
  std::vector<Factor> factors = {
      factor(means.size(), [&](const auto& drawn) { return std::log(mean(taken(means, drawn))); })};
  if (!estimate.sources_alone) {
    factors.push_back(factor(processes, [&](const auto& drawn) {
      std::vector<double> of_sources;
      for (const std::vector<double>& source : table) {
        of_sources.push_back(mean(taken(source, drawn)));
      }
      return std::log(mean(std::move(of_sources)));
    }));
  }
  set_interval(std::log(estimate.value), factors, estimate);
  return estimate;
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
  if (values.size() == 1) return values.front();  // to the last bit
  double sum = 0;
  for (const double each : values) sum += std::log(each);
  return std::exp(sum / static_cast<double>(values.size()));
}

IntervalEstimate median_time(const SourceTimes& times) {
  return mean_of_table(compact(table_of(times)), known_median);
}

IntervalEstimate mean_rate(const SourceTimes& times, std::span<const double> edges) {
  TimeTable table = table_of(times);
  for (std::size_t s = 0; s < table.size(); ++s) {
    for (double& time : table[s]) time = edges[s] > 0 ? edges[s] / time : kNone;
  }
  return mean_of_table(compact(std::move(table)), known_harmonic_mean);
}

IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base, Pairing pairing) {
  const bool together = pairing == Pairing::same_processes;
  const TimeTable above = together ? log_ratios(times, base) : logs_of(times);
  const TimeTable below = together ? TimeTable() : logs_of(base);
  std::vector<double> logs = means_of(above);
  const std::vector<double> above_means = together ? std::vector<double>(logs.size(), 0.0) : logs;
  std::vector<double> minus_below(logs.size(), 0.0);
  if (!together) {
    minus_below = means_of(below);
    for (double& each : minus_below) each = -each;
    for (std::size_t s = 0; s < logs.size(); ++s) logs[s] += minus_below[s];
  }
  const std::size_t processes =
      together ? processes_of(above) : std::min(processes_of(above), processes_of(below));
  const double value = known_mean(logs);
  IntervalEstimate estimate{std::exp(value), {}, processes < kFewest};
  if (logs.size() < kFewest) return estimate;
  std::vector<Factor> factors = {
      factor(logs.size(), [&](const auto& drawn) { return known_mean(taken(logs, drawn)); })};
  if (processes_of(above) >= kFewest) factors.push_back(process_factor(above, 1, minus_below));
  if (processes_of(below) >= kFewest) factors.push_back(process_factor(below, -1, above_means));
  set_interval(value, factors, estimate);
  return estimate;
}

IntervalEstimate corrected(const IntervalEstimate& estimate, std::size_t comparisons) {
  if (!estimate.interval || comparisons <= 1) return estimate;
  // student_t() is an expansion for 95 % alone; plots/stats.py has the same.
  const boost::math::students_t distribution(estimate.freedom);
  const double tail = 0.025 / static_cast<double>(comparisons);
  const double half =
      boost::math::quantile(boost::math::complement(distribution, tail)) * estimate.log_error;
  IntervalEstimate wider = estimate;
  wider.interval = Interval{estimate.value * std::exp(-half), estimate.value * std::exp(half)};
  return wider;
}

}  // namespace bfslab
