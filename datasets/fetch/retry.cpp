// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/retry.hpp"

#include <algorithm>
#include <cmath>

namespace bfslab {

std::optional<double> wait_before_retry(const RetryPolicy& policy, unsigned retry,
                                        std::optional<double> server_asks_s, double random) {
  if (retry >= policy.retries) return std::nullopt;
  if (server_asks_s && *server_asks_s > policy.patience_s) return std::nullopt;
  const double doubled = std::ldexp(policy.first_wait_s, static_cast<int>(std::min(retry, 60U)));
  const double ours = std::min(doubled, policy.longest_wait_s) * (0.5 + random / 2);
  return std::max(ours, server_asks_s.value_or(0));
}

}  // namespace bfslab
