// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

namespace bfslab {

std::optional<double> median_relative_error_pct(std::vector<double> times) {
  const std::size_t n = times.size();
  std::ranges::sort(times);
  // P(Binomial(n, 1/2) = i) is computed by logarithms, so that no n overflows; k counts from 1.
  double below = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < n / 2; ++i) {
    const double d = static_cast<double>(n);
    const double j = static_cast<double>(i);
    below += std::exp(std::lgamma(d + 1) - std::lgamma(j + 1) - std::lgamma(d - j + 1) -
                      d * std::log(2.0));
    if (2 * below > 0.05) break;
    k = i + 1;
  }
  if (k == 0) return std::nullopt;
  const double median = (times[(n - 1) / 2] + times[n / 2]) / 2;
  if (median <= 0) return 0.0;
  return 100 * (times[n - k] - times[k - 1]) / 2 / median;
}

bool needs_repeat(const RepeatRule& rule, const std::vector<double>& times, double spent_s) {
  if (times.size() < rule.minimum) return true;
  if (times.size() >= rule.maximum) return false;
  if (rule.budget_s > 0 && spent_s >= rule.budget_s) return false;
  if (rule.relative_error_pct <= 0) return true;
  const auto error = median_relative_error_pct(times);
  return !error || *error > rule.relative_error_pct;
}

}  // namespace bfslab
