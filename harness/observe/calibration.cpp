// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace bfslab {

namespace {

constexpr std::size_t kBytes = std::size_t{32} << 20;
constexpr std::uint64_t kChain = 400'000;  // of two operations each

template <typename Work>
double shortest_ms(int times, const Work& work) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, spent.count());
  }
  return shortest;
}

// Each step waits for the one before: an exclusive or, and an addition of what is too large for an
// operand within the instruction, which some processors add in no time.
void run_chain(std::uint64_t steps) {
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
}

void read_all(const std::vector<std::uint64_t>& words) {
  std::uint64_t sums[4] = {};
  for (std::size_t i = 0; i + 4 <= words.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += words[i + lane];
  }
  asm volatile("" ::"r"(sums[0] ^ sums[1] ^ sums[2] ^ sums[3]));
}

std::string change(const char* what, double before, double after, double pct) {
  return fmt::format(
      "{} took {:.3g} ms before the worker's trials and {:.3g} ms after them ({:.0f} %): the "
      "machine's speed changed",
      what, before, after, pct);
}

}  // namespace

std::optional<Calibration> calibrate() {
  try {
    const std::vector<std::uint64_t> words(kBytes / sizeof(std::uint64_t), 1);
    return Calibration{shortest_ms(5, [&] { read_all(words); }),
                       shortest_ms(5, [] { run_chain(kChain); })};
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

Drift drift_between(const Calibration& before, const Calibration& after) {
  const auto pct = [](double a, double b) {
    return a > 0 && b > 0 ? 100 * (std::max(a, b) / std::min(a, b) - 1) : 0.0;
  };
  const double memory = pct(before.memory_ms, after.memory_ms);
  const double compute = pct(before.compute_ms, after.compute_ms);
  if (memory >= compute) {
    return {memory, change("reading 32 MiB", before.memory_ms, after.memory_ms, memory)};
  }
  return {compute, change("a fixed computation", before.compute_ms, after.compute_ms, compute)};
}

double processor_mhz() {
  constexpr std::uint64_t kSteps = 20'000;
  return 2 * static_cast<double>(kSteps) / 1000 / shortest_ms(3, [] { run_chain(kSteps); });
}

}  // namespace bfslab
