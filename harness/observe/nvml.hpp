// What NVIDIA's management library (libnvidia-ml, part of the driver) reports about this machine's
// GPUs. It is opened on first use, never linked. It creates no CUDA context, so that the driver of
// an experiment may use it too; a machine without it reports nothing.
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
  // Of the multiprocessors, in MHz: now, the highest possible, and the one that it is set to.
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

// Of the GPU at "0000:3b:00.0", now.
std::optional<double> sm_clock_mhz(const std::string& pci_bus_id);

}  // namespace bfslab::nvml
