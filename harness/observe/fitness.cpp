// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/fitness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "harness/observe/calibration.hpp"
#include "harness/observe/cgroup.hpp"
#include "harness/observe/first_line.hpp"
#include "harness/observe/gpu_watch.hpp"
#include "harness/observe/load_meter.hpp"
#include "harness/observe/nvml.hpp"

namespace bfslab {

namespace {

using Grade = Finding::Grade;

Finding governor() {
  const Company company = Company::of_one();
  std::map<std::string, unsigned> counts;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &company.processors)) continue;
    const std::string found =
        first_line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
    if (!found.empty()) ++counts[found];
  }
  if (counts.empty()) {
    return {Grade::unknown, "governor", "not visible, as in virtual machines", ""};
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", name, count);
  }
  const bool good = counts.size() == 1 && counts.contains("performance");
  return {good ? Grade::good : Grade::unfit, "governor", text + " processors",
          good ? "" : "cpupower frequency-set -g performance"};
}

Finding smt() {
  const std::string active = first_line("/sys/devices/system/cpu/smt/active");
  if (active.empty()) return {Grade::unknown, "SMT", "not visible", ""};
  if (active == "0") return {Grade::good, "SMT", "off, or hidden by a virtual machine", ""};
  return {Grade::advice, "SMT", "on: two threads may share a core",
          "measure with one thread a core (taskset, OMP_PLACES=cores), or switch it off: echo off "
          "> /sys/devices/system/cpu/smt/control"};
}

Finding processor_limit() {
  const std::string limit = cgroup_cpu_limit();
  if (limit.empty()) return {Grade::good, "processor limit", "none", ""};
  return {Grade::unfit, "processor limit", fmt::format("the container has {}", limit),
          "a container that has used its share stops until the next period: start it without a "
          "quota, with whole processors (--cpuset-cpus)"};
}

void load(const FitnessLimits& limits, std::vector<Finding>& findings) {
  LoadMeter meter;
  meter.begin();
  constexpr std::chrono::milliseconds kWatch{500};
  std::this_thread::sleep_for(kWatch);
  // The sleep of this process is no disturbance: it counts as work of a device.
  const LoadReading reading = meter.end(10.0 * static_cast<double>(kWatch.count()));
  const auto grade = [&](double pct) { return pct > limits.load_pct ? Grade::unfit : Grade::good; };
  findings.push_back({grade(reading.foreign_load_pct), "load of others",
                      fmt::format("{} % of the processors' time in half a second (limit {} %)",
                                  reading.foreign_load_pct, limits.load_pct),
                      reading.foreign_load_pct > limits.load_pct ? "end what else runs here" : ""});
  findings.push_back({grade(reading.steal_pct), "steal",
                      fmt::format("{} % (limit {} %)", reading.steal_pct, limits.load_pct),
                      reading.steal_pct > limits.load_pct
                          ? "the host of this virtual machine has other work: take one alone"
                          : ""});
}

Finding steadiness(const FitnessLimits& limits) {
  std::optional<Calibration> first;
  Drift worst;
  for (int i = 0; i < 5; ++i) {
    const std::optional<Calibration> now = calibrate(false);
    if (!now) return {Grade::unknown, "steadiness", "no memory for a calibration", ""};
    if (!first) first = now;
    const Drift drift = drift_between(*first, *now, false);
    if (drift.pct > worst.pct) worst = drift;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const bool good = worst.pct <= limits.drift_pct;
  return {good ? Grade::good : Grade::unfit, "steadiness",
          fmt::format("calibrations differ by {:.0f} % (limit {:.0f} %): 32 MiB in {:.3g} ms, the "
                      "processor at {:.0f} MHz",
                      worst.pct, limits.drift_pct, first->memory_ms, processor_mhz()),
          good ? "" : "others share the memory or the caches, or the clock changes"};
}

void gpu(const nvml::Condition& gpu, std::vector<Finding>& findings) {
  const std::string name = fmt::format("GPU {}", gpu.uuid.substr(0, 12));
  const auto add = [&](Grade grade, const char* what, std::string state, std::string cure) {
    findings.push_back({grade, fmt::format("{}, {}", name, what), std::move(state),
                        grade == Grade::good ? "" : std::move(cure)});
  };
  const auto mhz = [](const std::optional<unsigned>& clock) {
    return clock ? std::to_string(*clock) : std::string("?");
  };
  const bool full = !gpu.applications_sm_clock || !gpu.max_sm_clock ||
                    *gpu.applications_sm_clock == *gpu.max_sm_clock;
  add(full ? Grade::good : Grade::advice, "clocks",
      fmt::format("now {} MHz, set to {}, at most {}", mhz(gpu.sm_clock),
                  mhz(gpu.applications_sm_clock), mhz(gpu.max_sm_clock)),
      "it is set to less than it can: nvidia-smi -rac");
  const std::string slow = nvml::slowed_text(gpu.slowed_by);
  add(slow.empty() ? Grade::good : Grade::unfit, "throttled", slow.empty() ? "no" : slow,
      "mend its cooling or its power supply");
  if (gpu.power_limit_mw && gpu.default_power_limit_mw) {
    const bool capped = *gpu.power_limit_mw < *gpu.default_power_limit_mw;
    add(capped ? Grade::unfit : Grade::good, "power limit",
        fmt::format("{} W of {} W", *gpu.power_limit_mw / 1000, *gpu.default_power_limit_mw / 1000),
        fmt::format("nvidia-smi -pl {}", *gpu.default_power_limit_mw / 1000));
  } else {
    add(Grade::unknown, "power limit", "not visible", "");
  }
  const auto mode = [&](const char* what, const std::optional<bool>& on, Grade if_on, Grade if_off,
                        const char* cure) {
    if (!on) return add(Grade::unknown, what, "not visible", "");
    add(*on ? if_on : if_off, what, *on ? "on" : "off", cure);
  };
  mode("persistence mode", gpu.persistence, Grade::good, Grade::advice,
       "the first program on it waits while the driver loads: nvidia-smi -pm 1");
  mode("ECC", gpu.ecc, Grade::good, Grade::advice,
       "results may be wrong without a sign; it costs bandwidth, so say so where you report times");
  mode("MIG", gpu.mig, Grade::unfit, Grade::good,
       "this is a slice of a GPU, whose neighbours share it: nvidia-smi -mig 0");
  if (gpu.uncorrected_errors.value_or(0) > 0) {
    add(Grade::unfit, "memory errors", fmt::format("{} uncorrected", *gpu.uncorrected_errors),
        "replace it");
  }
}

}  // namespace

const char* to_text(Finding::Grade grade) {
  constexpr const char* kNames[] = {"good", "unknown", "advice", "unfit"};
  return kNames[static_cast<int>(grade)];
}

std::vector<Finding> examine_machine(const FitnessLimits& limits) {
  std::vector<Finding> findings;
  load(limits, findings);
  findings.push_back(governor());
  findings.push_back(smt());
  findings.push_back(processor_limit());
  findings.push_back(steadiness(limits));
  const std::vector<nvml::Condition> gpus = nvml::conditions();
  if (gpus.empty()) findings.push_back({Grade::unknown, "GPU", "none that NVML knows", ""});
  for (const nvml::Condition& each : gpus) gpu(each, findings);
  for (const std::string& line : gpus_in_use()) {
    findings.push_back({Grade::unfit, "GPU in use", line, "end what runs on it"});
  }
  return findings;
}

}  // namespace bfslab
