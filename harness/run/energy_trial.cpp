// SPDX-License-Identifier: Apache-2.0
#include "harness/run/energy_trial.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "harness/run/ranks.hpp"
#include "harness/run/timed_search.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

constexpr unsigned kMostSearches = 1U << 20;
constexpr unsigned kLeastReadings = 4;  // before a counter is given up, the one before all searches

// The result of one rank, as a message.
struct OwnResult {
  struct Device {
    std::array<char, 64> name{};
    double joules = 0;
  };
  std::array<char, 64> host{};
  std::array<char, 240> missing{};
  unsigned count = 0;
  std::array<Device, kMaxGpusPerRank> devices{};
};

}  // namespace

double EnergyTrial::steady_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

EnergyTrial::EnergyTrial(EnergyCounters counters, distributed::Processes& processes, Clock clock)
    : counters_(std::move(counters)), processes_(processes), clock_(std::move(clock)) {
  if (counters_.counters.size() > kMaxGpusPerRank) counters_.counters.resize(kMaxGpusPerRank);
  windows_.resize(counters_.counters.size());
}

bool EnergyTrial::can_measure() {
  return maximum(processes_, counters_.counters.empty() ? 1 : 0) == 0;
}

void EnergyTrial::Window::take(unsigned done, double ms, double joules, double batch_ms) {
  if (joules <= last_j) return;
  last_j = joules;
  last_ms = ms;
  if (!begun) {
    begun = true;
    first = done;
    first_ms = ms;
    first_j = joules;
  } else if (ms - first_ms >= std::max(kLeastMs, kRatio * std::min(batch_ms, kPeriodMs))) {
    complete = true;
    end = done;
    end_j = joules;
  }
}

// Leaves the reason in `missing` if a counter fails.
void EnergyTrial::read_counters(unsigned done, double ms) {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const EnergyCounter& counter = counters_.counters[i];
    Window& window = windows_[i];
    const std::optional<double> joules = counter.joules();
    if (!joules) {
      counters_.missing = fmt::format("the energy counter of {} failed", counter.device);
    } else if (readings_ == 0) {
      window.last_j = *joules;
      window.last_ms = ms;
    } else {
      window.take(done, ms, *joules, ms - last_ms_);
    }
    if (readings_ >= kLeastReadings && !window.complete && ms - window.last_ms > kPatienceMs) {
      counters_.missing = fmt::format(
          "the energy counter of {} did not advance in {:.0f} s of "
          "searching",
          counter.device, kPatienceMs / 1000);
    }
  }
}

bool EnergyTrial::read(unsigned done) {
  const double ms = clock_();
  read_counters(done, ms);
  // All ranks search together, so they agree on the next batch.
  if (readings_ > 0 && maximum(processes_, ms - last_ms_) < kBatchMs && batch_ < kMostSearches) {
    batch_ *= 2;
  }
  ++readings_;
  last_ms_ = clock_();
  next_ = done + batch_;
  const bool incomplete =
      std::ranges::any_of(windows_, [](const Window& each) { return !each.complete; });
  const double failed = maximum(processes_, counters_.missing.empty() ? 0 : 1);
  return maximum(processes_, incomplete ? 1 : 0) > 0 && failed == 0;
}

EnergyTrial::Result EnergyTrial::result() {
  OwnResult own;
  ::gethostname(own.host.data(), own.host.size() - 1);
  counters_.missing.copy(own.missing.data(), own.missing.size() - 1);
  for (const Window& window : windows_) {
    OwnResult::Device& device = own.devices.at(own.count);
    counters_.counters[own.count++].device.copy(device.name.data(), device.name.size() - 1);
    if (window.complete) {
      device.joules = (window.end_j - window.first_j) / (window.end - window.first);
    }
  }
  Result result;
  double joules = 0;
  std::set<std::pair<std::string, std::string>> seen;  // ranks may share a device
  const std::vector<OwnResult> ranks = gather(processes_, own);
  for (unsigned rank = 0; rank < ranks.size(); ++rank) {
    const OwnResult& each = ranks[rank];
    if (result.missing.empty()) result.missing = each.missing.data();
    for (unsigned i = 0; i < each.count; ++i) {
      const char* const name = each.devices[i].name.data();
      if (!seen.emplace(each.host.data(), name).second) continue;
      joules += each.devices[i].joules;
      result.measures.push_back(measure_row(name, "energy", each.devices[i].joules, "J", rank));
    }
  }
  if (!result.missing.empty()) return {std::nullopt, result.missing, {}};
  result.joules = joules;
  return result;
}

}  // namespace bfslab
