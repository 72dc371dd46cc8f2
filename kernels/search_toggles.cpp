// SPDX-License-Identifier: Apache-2.0
#include "kernels/search_toggles.hpp"

namespace bfslab {

namespace {
constexpr const char* kBatch = "batch";
constexpr const char* kDepthLimit = "depth_limit";
}  // namespace

Toggle batch_toggle() {
  return Toggle::integer(
      kBatch, 1, 1, kMaxBatch,
      "Sources that are searched together, with one bit per source and vertex; needs levels as the "
      "answer. Times are those of the batch, divided by its sources");
}

Toggle depth_limit_toggle() {
  return Toggle::integer(kDepthLimit, 0, 0, 1'000'000'000,
                         "A search ends after so many levels; vertices further away "
                         "stay unreached. 0: no limit");
}

std::size_t batch_of(const Toggles& toggles) {
  return toggles.has(kBatch) ? static_cast<std::size_t>(toggles.integer(kBatch)) : 1;
}

level_t depth_limit_of(const Toggles& toggles) {
  if (!toggles.has(kDepthLimit)) return kNoDepthLimit;
  const std::int64_t limit = toggles.integer(kDepthLimit);
  return limit == 0 ? kNoDepthLimit : static_cast<level_t>(limit);
}

}  // namespace bfslab
