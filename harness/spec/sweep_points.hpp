// SPDX-License-Identifier: Apache-2.0
// The points of sweeps: every combination of the values that "sweep" and "zip" list.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/spec/json_value.hpp"
#include "harness/spec/settings.hpp"

namespace bfslab {

inline constexpr std::size_t kMaxConfigurations = 10000;

// A "sweep": at the top of the spec, or in a case.
struct Sweep {
  std::string path;
  Json lists = Json::object();  // key -> the list of its values
  bool skips_illegal = false;
};

// One value for each swept key.
using SweepPoint = std::vector<Setting>;

// Returns every point of sweep x the case's own sweep x zip, whose lists have equal lengths; none
// if there are more than kMaxConfigurations. The first key changes slowest, zipped ones fastest:
// {"a": [1, 2]}, {"b": [3, 4]} and {} give a=1 b=3, a=1 b=4, a=2 b=3, a=2 b=4. The points refer to
// the values of the arguments, which must outlive them.
std::vector<SweepPoint> sweep_points(const Sweep& sweep, const Sweep& own, const Json& zip);

}  // namespace bfslab
