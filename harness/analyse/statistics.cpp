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
  std::size_t count = 0;
  for (const ProcessTimes& source : times) {
    for (const std::vector<double>& repeats : source) count += repeats.size();
  }
  return count;
}

std::size_t processes_of(const SourceTimes& times) {
  std::size_t most = 0;
  for (const ProcessTimes& source : times) most = std::max(most, source.size());
  return most;
}

// The median of as many of them, drawn with replacement.
double drawn_median(const std::vector<double>& values, RandomStream& random) {
  if (values.size() == 1) return values.front();
  std::vector<double> drawn(values.size());
  for (double& each : drawn) each = values[random.below(values.size())];
  return median(std::move(drawn));
}

// As many of `count`, drawn with replacement.
std::vector<std::size_t> draw(std::size_t count, RandomStream& random) {
  std::vector<std::size_t> drawn(count, 0);
  if (count == 1) return drawn;
  for (std::size_t& each : drawn) each = random.below(count);
  return drawn;
}

// One number of a source's processes: of those in `drawn`, or of all where it has none of these.
template <typename OfRepeats>
std::vector<double> of_processes(const ProcessTimes& source, const std::vector<std::size_t>& drawn,
                                 const OfRepeats& of_repeats) {
  std::vector<double> values;
  for (const std::size_t process : drawn) {
    if (process < source.size() && !source[process].empty()) {
      values.push_back(of_repeats(source[process]));
    }
  }
  if (!values.empty()) return values;
  for (const std::vector<double>& repeats : source) {
    if (!repeats.empty()) values.push_back(of_repeats(repeats));
  }
  return values;
}

std::vector<double> of_all_processes(const ProcessTimes& source) {
  return of_processes(source, {},
                      [](const std::vector<double>& repeats) { return median(repeats); });
}

std::vector<double> of_drawn_processes(const ProcessTimes& source,
                                       const std::vector<std::size_t>& drawn,
                                       RandomStream& random) {
  return of_processes(source, drawn, [&](const std::vector<double>& repeats) {
    return drawn_median(repeats, random);
  });
}

// `statistic` of resampled sources, by their numbers. `begin` is called before each draw of them.
template <typename Begin, typename Statistic>
Interval bootstrap(std::size_t sources, const Begin& begin, const Statistic& statistic) {
  RandomStream random(sources);
  std::vector<std::size_t> drawn(sources);
  std::vector<double> values;
  for (std::size_t i = 0; i < kResamples; ++i) {
    begin(random);
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
  if (values.size() == 1) return values.front();  // to the last bit
  double sum = 0;
  for (const double each : values) sum += std::log(each);
  return std::exp(sum / static_cast<double>(values.size()));
}

IntervalEstimate median_time(const SourceTimes& times) {
  std::vector<double> medians;
  for (const ProcessTimes& source : times) medians.push_back(median(of_all_processes(source)));
  IntervalEstimate estimate{median(medians), {}};
  if (count_of(times) < kLeastTimes) return estimate;
  const std::size_t processes = processes_of(times);
  std::vector<std::size_t> drawn;
  estimate.interval = bootstrap(
      times.size(), [&](RandomStream& random) { drawn = draw(processes, random); },
      [&](const auto& sources, RandomStream& random) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
          medians[i] = median(of_drawn_processes(times[sources[i]], drawn, random));
        }
        return median(medians);
      });
  return estimate;
}

IntervalEstimate paired_ratio(const SourceTimes& times, const SourceTimes& base, Pairing pairing) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double above = geometric_mean(of_all_processes(times[i]));
    ratios.push_back(above / geometric_mean(of_all_processes(base[i])));
  }
  IntervalEstimate estimate{geometric_mean(ratios), {}};
  if (std::min(count_of(times), count_of(base)) < kLeastTimes) return estimate;
  const std::size_t count = processes_of(times);
  const std::size_t base_count = processes_of(base);
  const bool together = pairing == Pairing::same_processes && count == base_count;
  std::vector<std::size_t> drawn;
  std::vector<std::size_t> base_drawn;
  estimate.interval = bootstrap(
      times.size(),
      [&](RandomStream& random) {
        drawn = draw(count, random);
        base_drawn = together ? drawn : draw(base_count, random);
      },
      [&](const auto& sources, RandomStream& random) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
          const std::size_t source = sources[i];
          const double above = geometric_mean(of_drawn_processes(times[source], drawn, random));
          const auto below = of_drawn_processes(base[source], base_drawn, random);
          ratios[i] = above / geometric_mean(below);
        }
        return geometric_mean(ratios);
      });
  return estimate;
}

}  // namespace bfslab
