// SPDX-License-Identifier: Apache-2.0
// Writes an estimate and its interval as cells of a table and as JSON.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/analyse/results.hpp"

namespace bfslab {

inline std::string value_text(const std::optional<IntervalEstimate>& estimate) {
  return estimate ? three_digits(estimate->value) : "";
}

inline std::string interval_text(const std::optional<IntervalEstimate>& estimate) {
  if (!estimate || !estimate->interval) return "";
  return fmt::format("{}..{}", three_digits(estimate->interval->low),
                     three_digits(estimate->interval->high));
}

// Returns {"value", "low", "high"}; null if there is no estimate.
inline nlohmann::ordered_json estimate_json(const std::optional<IntervalEstimate>& estimate) {
  if (!estimate) return nullptr;
  nlohmann::ordered_json json = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->interval) {
    json["low"] = estimate->interval->low;
    json["high"] = estimate->interval->high;
  }
  return json;
}

}  // namespace bfslab
