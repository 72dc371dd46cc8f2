// SPDX-License-Identifier: Apache-2.0
// Writes an estimate and its interval, and the name of a graph, as cells of a table and as JSON.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyse/results.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

inline std::string value_text(const std::optional<IntervalEstimate>& estimate) {
  return estimate ? three_digits(estimate->value) : "";
}

inline std::string interval_text(const std::optional<IntervalEstimate>& estimate) {
  if (!estimate || !estimate->interval) return "";
  return fmt::format("{}..{}", three_digits(estimate->interval->low),
                     three_digits(estimate->interval->high));
}

// Adds the value and both ends of the interval to the fields of a row of CSV; what is missing is an
// empty field.
inline void add_estimate_fields(const std::optional<IntervalEstimate>& estimate,
                                std::vector<std::string>& fields) {
  const bool interval = estimate && estimate->interval;
  fields.push_back(estimate ? number_text(estimate->value) : "");
  fields.push_back(interval ? number_text(estimate->interval->low) : "");
  fields.push_back(interval ? number_text(estimate->interval->high) : "");
}

// Returns the name of a graph, with what it stands in for.
inline std::string graph_text(const std::string& graph, const std::string& stand_in_for) {
  if (stand_in_for.empty()) return graph;
  return fmt::format("{} (stands in for {})", graph, stand_in_for);
}

// Returns the line below a table that says what the intervals of these estimates cover
// (docs/statistics.md).
inline std::string interval_words(const std::vector<std::optional<IntervalEstimate>>& estimates) {
  std::size_t intervals = 0;
  std::size_t alone = 0;
  for (const std::optional<IntervalEstimate>& each : estimates) {
    if (!each || !each->interval) continue;
    ++intervals;
    alone += each->sources_alone ? 1 : 0;
  }
  if (intervals == 0) {
    return fmt::format("there are no intervals of fewer than {} sources", kFewest);
  }
  if (alone == 0) return "intervals are of 95 %, by bootstrap over sources and processes";
  if (alone == intervals) {
    return fmt::format(
        "intervals are of 95 %, by bootstrap over sources alone, since fewer than {} "
        "processes measured",
        kFewest);
  }
  return fmt::format(
      "intervals are of 95 %, by bootstrap over sources and, where {} or more "
      "measured, processes",
      kFewest);
}

// Returns {"value", "low", "high", "sources_alone"}; null if there is no estimate. `sources_alone`:
// the interval does not cover the spread of processes.
inline nlohmann::ordered_json estimate_json(const std::optional<IntervalEstimate>& estimate) {
  if (!estimate) return nullptr;
  nlohmann::ordered_json json = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->interval) {
    json["low"] = estimate->interval->low;
    json["high"] = estimate->interval->high;
  }
  json["sources_alone"] = estimate->sources_alone;
  return json;
}

}  // namespace bfslab
