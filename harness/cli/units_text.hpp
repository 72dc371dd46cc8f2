// SPDX-License-Identifier: Apache-2.0
// Formats bytes and seconds for people.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/spec/estimate.hpp"

namespace bfslab {

inline std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 && unit > 0 ? 1 : 0, units[unit]);
}

inline std::string time_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Returns one time, or two if a stopping rule leaves it open.
inline std::string time_text(const Seconds& seconds) {
  const std::string least = time_text(seconds.least);
  const std::string most = time_text(seconds.most);
  return least == most ? most : fmt::format("{} to {}", least, most);
}

}  // namespace bfslab
