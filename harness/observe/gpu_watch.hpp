// SPDX-License-Identifier: Apache-2.0
// GpuWatch: finds out whether others used the GPUs of a trial, or held their memory. NVML reports
// processes with a CUDA context that are not the worker's, and the reasons for a low clock. A
// container may hide processes, so a fixed piece of work (gpu::probe_ms) is timed before and after
// the trial, and compared with its own shortest time: on a GPU that others use, it has to wait.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/observe/nvml.hpp"

namespace bfslab {

class GpuWatch {
 public:
  // A probe waited for others if it took kTimes its shortest time, and kMinMs more. If its
  // shortest time is over kMaxMs, it never had the GPU to itself.
  static constexpr double kTimes = 2;
  static constexpr double kMinMs = 0.2;
  static constexpr double kMaxMs = 1;

  // Construct it before this process uses a GPU. `wanted`: this process will use one. `own`: the
  // processes of the same trials, including this one.
  GpuWatch(bool wanted, std::set<pid_t> own);

  // A function like gpu::probe_ms.
  using Probe = std::function<double(const std::string& bus)>;

  // begin() and end() enclose a trial on the GPUs at `buses`; an empty `probe` is not run. end()
  // returns a description of what disturbed the trial; empty if nothing did.
  void begin(std::vector<std::string> buses, const Probe& probe);
  std::string end();

  // Memory of a GPU that others hold.
  struct Held {
    std::uint64_t bytes = 0;
    std::string text;  // "process 17 holds 300 MiB", or that the process is unknown
  };
  // Returns the memory that others hold on the GPU at `bus`.
  [[nodiscard]] Held held_by_others(const std::string& bus) const;

 private:
  [[nodiscard]] std::vector<nvml::Process> others(const nvml::Use& use) const;
  // Probes each watched GPU. Returns a description of the first one that was disturbed.
  std::string look();
  [[nodiscard]] std::string disturbance(const std::string& bus, double probe_ms) const;
  double probed(const std::string& bus);

  std::set<pid_t> own_;
  std::map<std::string, nvml::Use> earlier_;  // UUID -> use before this process used a GPU
  std::vector<std::string> buses_;
  Probe probe_;
  std::map<std::string, double> shortest_ms_;  // bus -> shortest probe
  std::string found_;
};

// Describes the GPUs that others use before a run begins, one line each; empty if there is none.
std::vector<std::string> gpus_in_use();

}  // namespace bfslab
