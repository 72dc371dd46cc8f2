// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/energy_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/observe/first_line.hpp"
#include "harness/observe/nvml.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr double kMicro = 1e-6;

std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string line = first_line(path);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// Reads a counter that starts again at 0 when it exceeds its range.
class PackageCounter {
 public:
  explicit PackageCounter(std::string folder)
      : folder_(std::move(folder)),
        range_uj_(number_in(folder_ + "/max_energy_range_uj").value_or(0)) {}

  std::optional<double> operator()() {
    const auto now = number_in(folder_ + "/energy_uj");
    if (!now) return std::nullopt;
    if (*now < last_uj_) wrapped_uj_ += range_uj_;
    last_uj_ = *now;
    return static_cast<double>(wrapped_uj_ + *now) * kMicro;
  }

 private:
  std::string folder_;
  std::uint64_t range_uj_;
  std::uint64_t last_uj_ = 0;
  std::uint64_t wrapped_uj_ = 0;
};

// Returns the folders of packages, "intel-rapl:0" also on AMD's processors. Their parts
// ("intel-rapl:0:1") and other views of the same packages ("intel-rapl-mmio:0") are left out.
std::vector<std::string> package_folders(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder, error)) {
    const std::string name = each.path().filename();
    if (name.starts_with("intel-rapl:") && std::ranges::count(name, ':') == 1 &&
        first_line(each.path() / "name").starts_with("package-")) {
      found.push_back(each.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

EnergyCounters gpu_energy_counters(const std::vector<std::string>& buses) {
  EnergyCounters found;
  if (buses.empty()) found.missing = "the GPU's bus is unknown";
  for (const std::string& bus : buses) {
    if (!nvml::energy_j(bus)) {
      return {
          {},
          nvml::uuid_of(bus).empty()
              ? "NVML (libnvidia-ml.so.1, part of the driver) is missing or does not know the GPU"
              : fmt::format("NVML has no energy counter of {}: it needs Volta or newer",
                            nvml::uuid_of(bus))};
    }
    found.counters.push_back({nvml::uuid_of(bus), [bus] { return nvml::energy_j(bus); }});
  }
  return found;
}

EnergyCounters package_energy_counters(const std::string& folder) {
  EnergyCounters found;
  const std::vector<std::string> packages = package_folders(folder);
  if (packages.empty()) {
    found.missing = fmt::format(
        "{} shows no counter of the processors' energy (RAPL), as in most virtual "
        "machines",
        folder);
  }
  for (const std::string& package : packages) {
    if (!number_in(package + "/energy_uj")) {
      return {{},
              fmt::format("{0}/energy_uj cannot be read by this user: `sudo chmod a+r "
                          "{0}/energy_uj` permits it until the next start",
                          package)};
    }
    found.counters.push_back({first_line(package + "/name"), PackageCounter(package)});
  }
  return found;
}

}  // namespace bfslab
