// What NVIDIA's management library (libnvidia-ml, part of the driver) tells of this machine's GPUs.
// It is opened when it is first asked, never linked: it makes no CUDA context, so that the driver
// of an experiment may ask too, and a machine without it answers nothing.
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
  // Of the multiprocessors, in MHz: now, the highest that it reaches, and what it is set to run at.
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
