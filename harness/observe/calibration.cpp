// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "kernels/device_services.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kBytes = std::size_t{32} << 20;
constexpr std::uint64_t kChain = 400'000;  // steps of two operations each
constexpr double kLongEnoughMs = 40;
constexpr double kLongEnoughForGpuMs = 300;  // its clock rises slowly

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Returns the minimum that `measure` returns, in five calls at least, and in all calls within `ms`.
template <typename Measure>
double least_within(double ms, const Measure& measure) {
  double least = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5 || ms_since(begin) < ms; ++i) {
    least = std::min(least, measure());
  }
  return least;
}

// Each step waits for the one before: an exclusive or, and an addition of a constant. The constant
// is too large for an operand within the instruction, which some processors add in no time.
double chain_ms(std::uint64_t steps) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t value = steps;
  std::uint64_t mask = 0x9e3779b97f4a7c15ULL;
  std::uint64_t term = 0xbf58476d1ce4e5b9ULL;
  asm volatile("" : "+r"(mask), "+r"(term));
  for (std::uint64_t i = 0; i < steps; ++i) {
    value ^= mask;
    asm volatile("" : "+r"(value));
    value += term;
    asm volatile("" : "+r"(value));
  }
  return ms_since(begin);
}

double reading_ms(const std::vector<std::uint64_t>& words) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t sums[4] = {};
  for (std::size_t i = 0; i + 4 <= words.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += words[i + lane];
  }
  asm volatile("" ::"r"(sums[0] ^ sums[1] ^ sums[2] ^ sums[3]));
  return ms_since(begin);
}

std::string change(const char* what, double before, double after, double pct) {
  return fmt::format(
      "{} took {:.3g} ms before the worker's trials and {:.3g} ms after them ({:.0f} %): the "
      "machine's speed changed",
      what, before, after, pct);
}

}  // namespace

std::optional<Calibration> calibrate(bool with_gpu) {
  try {
    const std::vector<std::uint64_t> words(kBytes / sizeof(std::uint64_t), 1);
    Calibration found;
    found.memory_ms = least_within(kLongEnoughMs, [&] { return reading_ms(words); });
    found.compute_ms = least_within(kLongEnoughMs, [] { return chain_ms(kChain); });
    // Without a GPU, each engine that needs one reports that in its rows.
    if (const std::string bus = with_gpu ? gpu::pci_bus_id() : std::string(); !bus.empty()) {
      found.gpu_ms = least_within(kLongEnoughForGpuMs, [&] { return gpu::probe_ms(bus); });
    }
    return found;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

Drift drift_between(const Calibration& before, const Calibration& after, bool of_gpu_trials) {
  const auto pct = [](double a, double b) {
    return a > 0 && b > 0 ? 100 * (std::max(a, b) / std::min(a, b) - 1) : 0.0;
  };
  const auto drift_of = [&](const char* what, double first, double then) {
    const double changed = pct(first, then);
    return Drift{changed, change(what, first, then, changed)};
  };
  const Drift compute = drift_of("a fixed computation", before.compute_ms, after.compute_ms);
  const Drift other = of_gpu_trials ? drift_of("a fixed kernel", before.gpu_ms, after.gpu_ms)
                                    : drift_of("reading 32 MiB", before.memory_ms, after.memory_ms);
  return other.pct >= compute.pct ? other : compute;
}

double processor_mhz() {
  constexpr std::uint64_t kSteps = 20'000;
  const double shortest = std::min({chain_ms(kSteps), chain_ms(kSteps), chain_ms(kSteps)});
  return 2 * static_cast<double>(kSteps) / 1000 / shortest;
}

}  // namespace bfslab
