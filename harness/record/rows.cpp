// SPDX-License-Identifier: Apache-2.0
#include "harness/record/rows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

namespace bfslab {

namespace {

constexpr const char* kStatusNames[] = {"ok",    "oom",         "timeout", "crash",
                                        "wrong", "unsupported", "skipped", "interrupted"};
static_assert(std::size(kStatusNames) == kStatuses);

}  // namespace

const char* to_text(Status status) { return kStatusNames[static_cast<int>(status)]; }

Status status_from(const std::string& text) {
  for (int i = 0; i < static_cast<int>(std::size(kStatusNames)); ++i) {
    if (text == kStatusNames[i]) return static_cast<Status>(i);
  }
  throw std::invalid_argument(fmt::format("found status \"{}\"", text));
}

std::string impossible_time(const RunRow& row) {
  if (row.status != Status::ok || !row.time_ms || !row.source) return {};
  constexpr double kResolutionMs = 1e-6;  // resolution of the clocks that time searches
  constexpr double kBytesPerMs = 20e9;    // beyond any memory: 20 TB/s
  const double ms = *row.time_ms;
  if (!std::isfinite(ms) || ms < kResolutionMs) {
    return fmt::format("time_ms is {}, no time that a search can take", ms);
  }
  const auto reached = static_cast<double>(row.reached_vertices.value_or(0));
  if (ms * kBytesPerMs >= reached) return {};
  return fmt::format(
      "time_ms is {}, less than one byte of each of the {:.0f} reached vertices takes at 20 TB/s",
      ms, reached);
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms.count() % 1000);
}

}  // namespace bfslab
