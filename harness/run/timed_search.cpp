// SPDX-License-Identifier: Apache-2.0
#include "harness/run/timed_search.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "harness/observe/calibration.hpp"
#include "harness/observe/nvml.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/settle_threads.hpp"
#include "kernels/device_services.hpp"
#include "kernels/nvtx.hpp"

namespace bfslab {

namespace {

using clock = std::chrono::steady_clock;

// Returns the first characters of the UUIDs of all ranks' GPUs. `buses`: this rank's GPUs. Empty if
// NVML knows none. Collective.
std::string gpus_of(distributed::Processes& processes, const std::vector<std::string>& buses) {
  struct Names {
    std::array<std::array<char, 13>, kMaxGpusPerRank> text{};
  } own;
  for (std::size_t i = 0; i < buses.size(); ++i) {
    nvml::uuid_of(buses[i]).copy(own.text.at(i).data(), own.text[i].size() - 1);
  }
  std::string all;
  for (const Names& names : gather(processes, own)) {
    for (const auto& name : names.text) {
      if (name.front() != '\0') all += (all.empty() ? "" : ";") + std::string(name.data());
    }
  }
  return all;
}

// Returns the lowest clock of all ranks' GPUs; empty if NVML knows none. Collective.
std::optional<double> least_clock_mhz(distributed::Processes& processes,
                                      const std::vector<std::string>& buses) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double own = kNone;
  for (const std::string& bus : buses) {
    own = std::min(own, nvml::sm_clock_mhz(bus).value_or(kNone));
  }
  const double least = std::ranges::min(gather(processes, own));
  return least < kNone ? std::optional(least) : std::nullopt;
}

// Marks the measured region for profilers that wait for it (`nsys
// --capture-range=cudaProfilerApi`).
class ProfiledRegion {
 public:
  explicit ProfiledRegion(bool wanted) : wanted_(wanted) {
    if (wanted_) gpu::profiler_start();
  }
  ~ProfiledRegion() {
    if (wanted_) gpu::profiler_stop();
  }
  ProfiledRegion(const ProfiledRegion&) = delete;
  ProfiledRegion& operator=(const ProfiledRegion&) = delete;

 private:
  bool wanted_;
};

// Times the calls, and writes their mean. Returns the sum of the engine's own times on the GPU, if
// it has them, and writes their mean, too.
std::optional<double> time_calls(const WorkerServices& services, const TimedSearch& search,
                                 const std::function<void()>& work, TrialReply& reply) {
  // Instrumented trials run other kernels, so they are left out of the profile.
  const bool on_gpu = search.configuration.engine->can.gpu;
  const ProfiledRegion region(on_gpu && nvtx::attached() && !search.instrumented);
  const nvtx::Range range(search.instrumented ? "instrumented" : "measured");
  std::optional<double> gpu_ms;
  double sum_ms = 0;
  unsigned done = 0;
  for (; search.again ? search.again(done) : done < search.times; ++done) {
    services.processes.barrier();
    const auto begin = clock::now();
    work();
    services.processes.barrier();  // complete when all ranks are
    sum_ms += ms_since(begin);
    if (const auto ms = search.engine.gpu_ms()) gpu_ms = gpu_ms.value_or(0) + *ms;
  }
  reply.time_ms = sum_ms / done;
  if (gpu_ms) reply.gpu_ms = *gpu_ms / done;
  return gpu_ms;
}

// Writes the disturbance of this rank; with several ranks, that of the most disturbed one.
// `gpu_text`: who else used the GPUs; empty if no one did. Collective.
void note_disturbance(distributed::Processes& processes, const LoadReading& load,
                      const std::string& gpu_text, TrialReply& reply) {
  struct Disturbance {
    double pct = 0;
    double steal_pct = 0;
    std::array<char, 240> text{};
  } own;
  own.steal_pct = load.steal_pct;
  own.pct = gpu_text.empty() ? load.foreign_load_pct : 100;
  (gpu_text.empty() ? to_text(load) : gpu_text).copy(own.text.data(), own.text.size() - 1);
  const std::vector<Disturbance> ranks = gather(processes, own);
  const auto worst = std::ranges::max_element(ranks, {}, &Disturbance::pct);
  reply.foreign_load_pct = worst->pct;
  reply.steal_pct = std::ranges::max(ranks, {}, &Disturbance::steal_pct).steal_pct;
  reply.disturbance = worst->text.data();
  if (ranks.size() > 1 && !reply.disturbance.empty()) {
    reply.disturbance = fmt::format("rank {}: {}", worst - ranks.begin(), reply.disturbance);
  }
}

// Adds the times that each rank waited for a processor; none if it did not, as in most trials.
void add_waiting(distributed::Processes& processes, const LoadReading& load, TrialReply& reply) {
  const std::vector<LoadReading> loads = gather(processes, load);
  for (unsigned rank = 0; rank < loads.size(); ++rank) {
    const auto switches = static_cast<double>(loads[rank].involuntary_switches);
    if (switches == 0) continue;
    reply.measures.push_back(measure_row("worker", "involuntary_switches", switches, "1", rank));
    reply.measures.push_back(
        measure_row("worker", "run_queue_delay", loads[rank].queue_delay_ms, "ms", rank));
  }
}

}  // namespace

void time_search(const WorkerServices& services, const TimedSearch& search,
                 const std::function<void()>& work, TrialReply& reply) {
  const Capabilities& can = search.configuration.engine->can;
  if (search.cold != nullptr) {  // the steps between this and the search use little memory
    search.cold->overwrite(search.configuration);
    reply.caches = "cold";
  }
  settle_threads(can.external ? std::nullopt : threads_of(search.configuration));
  if (can.gpu) {
    GpuWatch::Probe probe;
    if (!nvtx::attached()) probe = [](const std::string& bus) { return gpu::probe_ms(bus); };
    services.gpu_watch.begin(buses_of(search.configuration), probe);
  }
  services.meter.begin(search.load_matters);
  services.steps.enter(Step::traverse);
  const std::optional<double> gpu_ms = time_calls(services, search, work, reply);
  services.steps.enter(Step::check);
  double elsewhere_ms = gpu_ms.value_or(0);
  if (const auto own_ms = search.engine.own_time_ms()) {
    // Waiting inside the external process is not counted as disturbance.
    elsewhere_ms = *std::exchange(reply.time_ms, own_ms);
    reply.measures.push_back(measure_row("external", "process_time", elsewhere_ms, "ms"));
  }
  const LoadReading load = services.meter.end(elsewhere_ms);
  note_disturbance(services.processes, load, can.gpu ? services.gpu_watch.end() : std::string(),
                   reply);
  reply.cpu_mhz = std::round(processor_mhz());
  if (can.gpu) {
    const std::vector<std::string> buses = buses_of(search.configuration);
    reply.gpu = gpus_of(services.processes, buses);
    reply.sm_clock_mhz = least_clock_mhz(services.processes, buses);
  }
  add_waiting(services.processes, load, reply);
}

OptionalCount threads_of(const Configuration& configuration) {
  const EngineInfo& engine = *configuration.engine;
  const auto toggle = std::ranges::find(engine.toggles, "threads", &Toggle::name);
  if (engine.counts() || engine.can.gpu || toggle == engine.toggles.end()) return std::nullopt;
  const std::int64_t threads = configuration.toggles.integer("threads");
  const Company company = Company::of_one();
  const std::int64_t asked = threads > 0 ? threads : CPU_COUNT(&company.processors);
  return static_cast<std::uint64_t>(std::min<std::int64_t>(asked, omp_get_thread_limit()));
}

std::vector<std::string> buses_of(const Configuration& configuration) {
  return gpu::pci_bus_ids(configuration.gpus_per_rank);
}

MeasureRow measure_row(const char* part, const char* metric, double value, const char* unit,
                       unsigned rank) {
  MeasureRow row;
  row.rank = rank;
  row.part = part;
  row.metric = metric;
  row.value = value;
  row.unit = unit;
  return row;
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

}  // namespace bfslab
