// SPDX-License-Identifier: Apache-2.0
// GpuWatch: whether somebody else used a trial's GPUs, or held their memory. By NVML: processes
// with a CUDA context that are not the worker's, and reasons for which the clock is low. Where a
// container hides processes: a fixed piece of work (gpu::probe_ms), timed before and after the
// trial and compared with its own shortest time; on a GPU that others use it waits for its turn.
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
  // A probe that takes longer than so many times its shortest, and by kLeastMs, waited for others.
  // One whose shortest is over kMostMs never had the GPU to itself.
  static constexpr double kTimes = 2;
  static constexpr double kLeastMs = 0.2;
  static constexpr double kMostMs = 1;

  // Before this process uses a GPU. `wanted`: whether it will. `own`: processes of the same trials,
  // this one among them.
  GpuWatch(bool wanted, std::set<pid_t> own);

  // As gpu::probe_ms.
  using Probe = std::function<double(const std::string& bus)>;

  // Before and after a trial on the GPUs at `buses`; without a `probe` none is done. The latter
  // returns what disturbed the trial, in words; empty if nothing did.
  void begin(std::vector<std::string> buses, const Probe& probe);
  std::string end();

  // Of the memory that is used on the GPU at `bus`, what others hold.
  struct Held {
    std::uint64_t bytes = 0;
    std::string text;  // "process 17 holds 300 MiB", or who is unknown
  };
  [[nodiscard]] Held held_by_others(const std::string& bus) const;

 private:
  [[nodiscard]] std::vector<nvml::Process> others(const nvml::Use& use) const;
  // Of all that are watched, after a probe of each: the first that was disturbed.
  std::string look();
  [[nodiscard]] std::string disturbance(const std::string& bus, double probe_ms) const;
  double probed(const std::string& bus);

  std::set<pid_t> own_;
  std::map<std::string, nvml::Use> earlier_;  // by UUID, when this process used none
  std::vector<std::string> buses_;
  Probe probe_;
  std::map<std::string, double> shortest_ms_;  // by bus
  std::string found_;
};

// What is said of GPUs that are in use before a run begins; empty where none is.
std::vector<std::string> gpus_in_use();

}  // namespace bfslab
