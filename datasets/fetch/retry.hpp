// SPDX-License-Identifier: Apache-2.0
// When a failed download is tried again.
#pragma once

#include <optional>

namespace bfslab {

struct RetryPolicy {
  unsigned retries = 4;     // in a row without progress
  double first_wait_s = 1;  // doubled from one retry to the next
  double longest_wait_s = 60;
  double patience_s = 300;  // a server that asks for a longer wait is abandoned
};

// Seconds before retry number `retry` (from 0): 2^retry first waits, no more than the longest,
// scaled by 0.5 + `random` / 2 with `random` in [0, 1), so that many clients of one broken server
// do not return all at once. The wait that the server requested is a lower bound. Empty: give up.
std::optional<double> wait_before_retry(const RetryPolicy& policy, unsigned retry,
                                        std::optional<double> server_asks_s, double random);

}  // namespace bfslab
