// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/sweep_points.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "harness/spec/json_path.hpp"

namespace bfslab {

namespace {

// Returns every point of `before`, with every element of the list at `path`.
std::vector<SweepPoint> times(const std::vector<SweepPoint>& before, const std::string& path,
                              const std::string& key, const Json& values) {
  std::vector<SweepPoint> points;
  for (const SweepPoint& point : before) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      points.push_back(point);
      points.back().push_back(
          {key, &values[i], element_path(child_path(path, key), i), Layer::swept});
    }
  }
  return points;
}

}  // namespace

std::vector<SweepPoint> sweep_points(const Sweep& sweep, const Sweep& own, const Json& zip) {
  std::vector<SweepPoint> points(1);
  for (const Sweep* each : {&sweep, &own}) {
    for (const auto& [key, values] : each->lists.items()) {
      if (points.size() * values.size() > kMaxConfigurations) return {};
      points = times(points, each->path, key, values);
    }
  }
  if (zip.empty()) return points;
  const std::size_t steps = zip.begin()->size();
  if (points.size() * steps > kMaxConfigurations) return {};
  std::vector<SweepPoint> zipped;
  for (const SweepPoint& point : points) {
    for (std::size_t i = 0; i < steps; ++i) {
      zipped.push_back(point);
      for (const auto& [key, values] : zip.items()) {
        zipped.back().push_back(
            {key, &values[i], element_path(child_path("zip", key), i), Layer::swept});
      }
    }
  }
  return zipped;
}

}  // namespace bfslab
