// SPDX-License-Identifier: Apache-2.0
// The stopping rule decides when enough repeats were made. It is a pure function of the times
// recorded so far, so that a resumed run stops exactly where an uninterrupted one would have.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns the relative half-width, in percent, of a distribution-free 95 % confidence interval of
// the median: the narrowest symmetric pair of order statistics x(k), x(n+1-k) whose coverage 1 - 2
// P(Binomial(n, 1/2) < k) is at least 95 % (David and Nagaraja, 2003, section 7.1). Below 6 times
// there is no such pair.
std::optional<double> median_relative_error_pct(std::vector<double> times);

// Returns whether (configuration, source) needs another repeat. `times`: those that count so far,
// in milliseconds. `spent_s`: the time of the configuration on this graph, over all its sources.
bool needs_repeat(const RepeatRule& rule, const std::vector<double>& times, double spent_s);

}  // namespace bfslab
