// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/gpu_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace bfslab {

namespace {

// The driver's own memory on an idle GPU is less.
constexpr std::uint64_t kIdleBytes = std::uint64_t{1} << 30;
constexpr unsigned kIdlePct = 5;

std::string text_of(const std::vector<nvml::Process>& processes) {
  std::string text;
  for (const nvml::Process& each : processes) {
    text += fmt::format("{}process {} holds {} MiB of the GPU's memory", text.empty() ? "" : ", ",
                        each.id, each.bytes >> 20);
  }
  return text;
}

}  // namespace

GpuWatch::GpuWatch(bool wanted, std::set<pid_t> own) : own_(std::move(own)) {
  if (!wanted) return;
  for (nvml::Use& use : nvml::uses()) earlier_.emplace(use.uuid, std::move(use));
}

// If the list has this process, its numbers are those of this container. Otherwise a container
// numbers processes differently, and a process that was there before this one is another one.
std::vector<nvml::Process> GpuWatch::others(const nvml::Use& use) const {
  const auto is_own = [&](const nvml::Process& each) {
    return own_.contains(static_cast<pid_t>(each.id));
  };
  std::vector<nvml::Process> found = use.processes;
  if (std::ranges::any_of(found, is_own)) {
    std::erase_if(found, is_own);
    return found;
  }
  const auto before = earlier_.find(use.uuid);
  if (before == earlier_.end()) return {};
  std::erase_if(found, [&](const nvml::Process& each) {
    return std::ranges::find(before->second.processes, each.id, &nvml::Process::id) ==
           before->second.processes.end();
  });
  return found;
}

double GpuWatch::probed(const std::string& bus) {
  if (!probe_) return 0;
  const double ms = std::min(probe_(bus), probe_(bus));  // the host may have disturbed one of them
  if (ms > 0) {
    double& shortest = shortest_ms_.try_emplace(bus, ms).first->second;
    shortest = std::min(shortest, ms);
  }
  return ms;
}

std::string GpuWatch::disturbance(const std::string& bus, double probe_ms) const {
  if (const auto use = nvml::use_of(bus)) {
    if (std::string text = text_of(others(*use)); !text.empty()) return text;
    if (const std::string slow = nvml::slowed_text(use->slowed_by); !slow.empty()) {
      return "the GPU's clock is low: " + slow;
    }
  }
  const auto known = shortest_ms_.find(bus);
  if (known == shortest_ms_.end() || probe_ms == 0) return {};
  const double shortest_ms = known->second;
  if (shortest_ms > kMaxMs ||
      (probe_ms > kTimes * shortest_ms && probe_ms > shortest_ms + kMinMs)) {
    return fmt::format(
        "a fixed kernel before or after it took {:.3f} ms, and {:.3f} ms at best: others use the "
        "GPU",
        probe_ms, shortest_ms);
  }
  return {};
}

std::string GpuWatch::look() {
  std::string found;
  for (const std::string& bus : buses_) {
    const double probe_ms = probed(bus);
    if (!found.empty()) continue;
    found = disturbance(bus, probe_ms);
    if (!found.empty() && buses_.size() > 1) found = fmt::format("GPU at {}: {}", bus, found);
  }
  return found;
}

void GpuWatch::begin(std::vector<std::string> buses, const Probe& probe) {
  buses_ = std::move(buses);
  probe_ = probe;
  for (const std::string& bus : buses_) {
    if (!probe_ || shortest_ms_.contains(bus)) continue;
    for (int i = 0; i < 5; ++i) probed(bus);  // the first loads the kernel
  }
  found_ = look();
}

std::string GpuWatch::end() {
  const std::string found = look();
  return found_.empty() ? found : std::exchange(found_, {});
}

GpuWatch::Held GpuWatch::held_by_others(const std::string& bus) const {
  const auto use = nvml::use_of(bus);
  if (!use) {  // no context, thus no bus: all memory that was used before
    Held held;
    for (const auto& [uuid, each] : earlier_) {
      if (each.used_bytes <= kIdleBytes || each.used_bytes <= held.bytes) continue;
      held = {each.used_bytes, text_of(each.processes)};
    }
    if (held.bytes > 0 && held.text.empty()) held.text = "others hold it";
    return held;
  }
  const std::vector<nvml::Process> processes = others(*use);
  Held held{0, text_of(processes)};
  for (const nvml::Process& each : processes) held.bytes += each.bytes;
  const auto before = earlier_.find(use->uuid);
  if (processes.empty() && before != earlier_.end() && before->second.used_bytes > kIdleBytes) {
    held = {before->second.used_bytes,
            fmt::format("others held {} MiB of the GPU's memory before this process used it",
                        before->second.used_bytes >> 20)};
  }
  return held;
}

std::vector<std::string> gpus_in_use() {
  std::vector<std::string> lines;
  std::vector<nvml::Use> uses = nvml::uses();
  const auto busy = [](const nvml::Use& use) { return use.busy_pct.value_or(0) > kIdlePct; };
  if (std::ranges::any_of(uses, busy)) {
    // NVML's share covers up to the last second, in which an earlier run may have ended.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    uses = nvml::uses();
  }
  for (const nvml::Use& use : uses) {
    std::string why = text_of(use.processes);
    const auto add = [&](const std::string& text) { why += (why.empty() ? "" : ", ") + text; };
    if (busy(use)) add(fmt::format("it is {} % busy", *use.busy_pct));
    if (use.processes.empty() && use.used_bytes > kIdleBytes) {
      add(fmt::format("{} MiB of its memory are used", use.used_bytes >> 20));
    }
    if (!why.empty()) lines.push_back(fmt::format("{} ({}): {}", use.name, use.uuid, why));
  }
  return lines;
}

}  // namespace bfslab
