// SPDX-License-Identifier: Apache-2.0
// Counters of the energy that devices use: NVML's of each GPU, and those of the processors'
// packages, which the kernel shows in /sys/class/powercap (RAPL). Both are of a whole device, idle
// parts and other programs included.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bfslab {

struct EnergyCounter {
  std::string device;  // "GPU-1a2b3c4d", "package-0"
  // Returns the energy in J since some moment before the first call; it never falls. Empty if it
  // cannot be read.
  std::function<std::optional<double>()> joules;
};

struct EnergyCounters {
  std::vector<EnergyCounter> counters;  // one for each device; none if one of them has none
  std::string missing;                  // why there are none; empty if there are
};

// Returns the counters of the GPUs at these PCI bus ids.
EnergyCounters gpu_energy_counters(const std::vector<std::string>& buses);

// Returns the counters of all packages of processors of this machine, without their memory.
EnergyCounters package_energy_counters(const std::string& folder = "/sys/class/powercap");

}  // namespace bfslab
