// SPDX-License-Identifier: Apache-2.0
// The counters and the clock are made up: a search takes a fixed time and a fixed energy, and
// counters advance in steps, as NVML's do.
#include "harness/run/energy_trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/datasets/temporary_folder.hpp"

namespace bfslab {
namespace {

class Machine {
 public:
  explicit Machine(double search_ms) : search_ms_(search_ms) {}

  // A counter that shows the energy as of the last multiple of `period_ms`.
  EnergyCounter counter(const std::string& device, double joules_per_search, double period_ms) {
    return {device, [=, this]() -> std::optional<double> {
              if (broken_after_ > 0 && done_ >= broken_after_) return std::nullopt;
              const double ms = std::floor(now_ms_ / period_ms) * period_ms;
              return 1000 + ms / search_ms_ * joules_per_search;
            }};
  }
  void break_after(unsigned searches) { broken_after_ = searches; }

  EnergyTrial::Result measure(EnergyCounters counters) {
    const auto alone = distributed::alone();
    EnergyTrial trial(std::move(counters), *alone, [this] { return now_ms_; });
    if (trial.can_measure()) {
      while (!trial.due(done_) || trial.read(done_)) {
        now_ms_ += search_ms_;
        ++done_;
      }
    }
    return trial.result();
  }
  [[nodiscard]] double ms() const { return now_ms_; }
  [[nodiscard]] unsigned done() const { return done_; }

 private:
  double search_ms_;
  double now_ms_ = 7;
  unsigned done_ = 0;
  unsigned broken_after_ = 0;
};

TEST(EnergyTrial, AShortSearchIsRepeatedUntilTheCounterHasAdvancedEnough) {
  Machine machine(0.02);
  const auto found = machine.measure({{machine.counter("GPU-0", 0.004, 100)}, {}});
  ASSERT_TRUE(found.joules.has_value());
  EXPECT_NEAR(*found.joules, 0.004, 0.004 * 2 / EnergyTrial::kRatio);
  EXPECT_GE(machine.ms(), EnergyTrial::kLeastMs);
  EXPECT_LE(machine.ms(), EnergyTrial::kLeastMs + 300);
  EXPECT_TRUE(found.missing.empty());
}

TEST(EnergyTrial, ALongSearchIsRepeatedOnlyTwiceMore) {
  Machine machine(2000);
  const auto found = machine.measure({{machine.counter("GPU-0", 300, 20)}, {}});
  ASSERT_TRUE(found.joules.has_value());
  EXPECT_NEAR(*found.joules, 300, 300 * 0.02);
  EXPECT_EQ(machine.done(), 3U);
}

TEST(EnergyTrial, ASearchAboutAsLongAsThePeriodIsRepeatedForLonger) {
  Machine machine(83);
  const auto found = machine.measure({{machine.counter("GPU-0", 10, 100)}, {}});
  ASSERT_TRUE(found.joules.has_value());
  EXPECT_NEAR(*found.joules, 10, 10 * 2 / EnergyTrial::kRatio);
  EXPECT_GT(machine.done(), 20U);
}

TEST(EnergyTrial, AllDevicesCountAndEachOnce) {
  Machine machine(1);
  const auto found =
      machine.measure({{machine.counter("GPU-0", 0.2, 20), machine.counter("GPU-1", 0.3, 100),
                        machine.counter("GPU-0", 0.2, 20)},
                       {}});
  ASSERT_TRUE(found.joules.has_value());
  ASSERT_EQ(found.measures.size(), 2U);
  EXPECT_EQ(found.measures[1].part, "GPU-1");
  EXPECT_EQ(found.measures[1].unit, "J");
  EXPECT_NEAR(found.measures[0].value, 0.2, 0.2 * 0.05);
  EXPECT_NEAR(found.measures[1].value, 0.3, 0.3 * 0.05);
  EXPECT_DOUBLE_EQ(*found.joules, found.measures[0].value + found.measures[1].value);
}

TEST(EnergyTrial, ACounterThatStandsStillIsGivenUp) {
  Machine machine(1);
  const auto found = machine.measure({{machine.counter("GPU-7", 0.1, 1e9)}, {}});
  EXPECT_FALSE(found.joules.has_value());
  EXPECT_EQ(found.missing, "the energy counter of GPU-7 did not advance in 5 s of searching");
  EXPECT_LE(machine.ms(), EnergyTrial::kPatienceMs + 100);
}

TEST(EnergyTrial, ACounterThatFailsMeansNoEnergy) {
  Machine machine(1);
  machine.break_after(50);
  const auto found = machine.measure({{machine.counter("GPU-7", 0.1, 20)}, {}});
  EXPECT_FALSE(found.joules.has_value());
  EXPECT_EQ(found.missing, "the energy counter of GPU-7 failed");
}

TEST(EnergyTrial, WithoutCountersNothingIsRepeated) {
  Machine machine(1);
  const auto found = machine.measure({{}, "there is none"});
  EXPECT_FALSE(found.joules.has_value());
  EXPECT_EQ(found.missing, "there is none");
  EXPECT_EQ(machine.done(), 0U);
}

void write_zone(const std::filesystem::path& folder, const std::string& name,
                const std::string& energy_uj) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "name") << name << '\n';
  std::ofstream(folder / "max_energy_range_uj") << "262143328850\n";
  if (!energy_uj.empty()) std::ofstream(folder / "energy_uj") << energy_uj << '\n';
}

TEST(PackageEnergy, PackagesCountOnceAndWithoutTheirParts) {
  const tests::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  write_zone(folder / "intel-rapl:0", "package-0", "5000000");
  write_zone(folder / "intel-rapl:0:0", "core", "4000000");
  write_zone(folder / "intel-rapl:1", "package-1", "262143000000");
  write_zone(folder / "intel-rapl:2", "psys", "9000000");
  write_zone(folder / "intel-rapl-mmio:0", "package-0", "5000000");
  const EnergyCounters found = package_energy_counters(folder.string());
  ASSERT_EQ(found.counters.size(), 2U);
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(found.counters[0].device, "package-0");
  EXPECT_DOUBLE_EQ(found.counters[0].joules().value(), 5);
  EXPECT_EQ(found.counters[1].device, "package-1");
  const double before = found.counters[1].joules().value();
  write_zone(folder / "intel-rapl:1", "package-1", "1000000");  // past its range
  EXPECT_NEAR(found.counters[1].joules().value() - before, 1.328850, 1e-6);
}

TEST(PackageEnergy, AMissingCounterIsExplained) {
  const tests::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  const std::string none = folder.string();
  EXPECT_EQ(package_energy_counters(none + "/powercap").missing,
            none +
                "/powercap shows no counter of the processors' energy (RAPL), as in most virtual "
                "machines");
  write_zone(folder / "intel-rapl:0", "package-0", "1");
  write_zone(folder / "intel-rapl:1", "package-1", "");
  const EnergyCounters found = package_energy_counters(none);
  EXPECT_TRUE(found.counters.empty());
  EXPECT_NE(found.missing.find("intel-rapl:1/energy_uj cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace bfslab
