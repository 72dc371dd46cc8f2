// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library (libnvidia-ml, part of the driver): its reports about this
// machine's GPUs. It is opened on first use, never linked. It creates no CUDA context, so that the
// driver of an experiment may use it too; a machine without it reports nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfslab::nvml {

struct Gpu {
  std::string name;
  std::string uuid;
  std::optional<std::uint64_t> memory_bytes;
  // Clocks of the multiprocessors in MHz: now, the maximum, and the one that is set.
  std::optional<unsigned> sm_clock;
  std::optional<unsigned> max_sm_clock;
  std::optional<unsigned> applications_sm_clock;
};

struct Report {
  std::string driver;     // "580.159.03"
  std::string cuda;       // "13.0": the newest CUDA that this driver runs
  std::vector<Gpu> gpus;  // in NVML's order; CUDA_VISIBLE_DEVICES hides none
};

std::optional<Report> report();

struct Process {
  unsigned id = 0;  // in NVML's own numbering, which a container may not share
  std::uint64_t bytes = 0;
};

// The present use of a GPU.
struct Use {
  std::string uuid;
  std::string name;
  std::vector<Process> processes;  // with a CUDA context; a container may hide them
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::optional<unsigned> busy_pct;  // within the last second or less
  unsigned long long slowed_by = 0;  // NVML's reasons for which the clock is lower than it could be
};

// The settings and the condition of a GPU; values that it does not report are missing.
struct Condition : Gpu {
  unsigned long long slowed_by = 0;
  std::optional<unsigned> power_limit_mw;
  std::optional<unsigned> default_power_limit_mw;
  std::optional<bool> persistence;
  std::optional<bool> ecc;
  std::optional<bool> mig;
  std::optional<unsigned long long> uncorrected_errors;  // in its memory, since the driver started
};
// Returns the conditions of the same GPUs as uses().
std::vector<Condition> conditions();

// Returns the use of all GPUs that CUDA_VISIBLE_DEVICES does not hide by an index or a UUID, and of
// the one at "0000:3b:00.0".
std::vector<Use> uses();
std::optional<Use> use_of(const std::string& pci_bus_id);

// Names the reasons that do not come from the work itself, as "hot"; empty if there are none.
std::string slowed_text(unsigned long long reasons);

// Returns the UUID of the GPU at "0000:3b:00.0"; empty if NVML does not know it.
std::string uuid_of(const std::string& pci_bus_id);

// Returns its present clock; empty if NVML does not know it.
std::optional<double> sm_clock_mhz(const std::string& pci_bus_id);

// Returns the energy in J that the board of the GPU has used since the driver was loaded. The
// counter advances every 10 to 100 ms, on Volta or newer. Empty if NVML or the GPU has none.
std::optional<double> energy_j(const std::string& pci_bus_id);

}  // namespace bfslab::nvml
