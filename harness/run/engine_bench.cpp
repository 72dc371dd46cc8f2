// SPDX-License-Identifier: Apache-2.0
#include "harness/run/engine_bench.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "harness/check/reference.hpp"
#include "harness/observe/calibration.hpp"
#include "harness/observe/nvml.hpp"
#include "harness/observe/resident_memory.hpp"
#include "harness/record/level_recorder.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/settle_threads.hpp"
#include "kernels/device_errors.hpp"
#include "kernels/device_services.hpp"
#include "kernels/nvtx.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab {

namespace {

using clock = std::chrono::steady_clock;

double ms_between(clock::time_point begin, clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

MeasureRow measure_row(const char* part, const char* metric, double value, const char* unit,
                       unsigned rank = 0) {
  MeasureRow row;
  row.rank = rank;
  row.part = part;
  row.metric = metric;
  row.value = value;
  row.unit = unit;
  return row;
}

// How many threads run a configuration whose engine has the toggle `threads`; empty for others. The
// environment may limit them (OMP_THREAD_LIMIT).
OptionalCount threads_of(const Configuration& configuration) {
  const EngineInfo& engine = *configuration.engine;
  const auto toggle = std::ranges::find(engine.toggles, "threads", &Toggle::name);
  if (engine.counts() || engine.can.gpu || toggle == engine.toggles.end()) return std::nullopt;
  const std::int64_t threads = configuration.toggles.integer("threads");
  const Company company = Company::of_one();
  const std::int64_t asked = threads > 0 ? threads : CPU_COUNT(&company.processors);
  return static_cast<std::uint64_t>(std::min<std::int64_t>(asked, omp_get_thread_limit()));
}

// Those on which this process runs it.
std::vector<std::string> buses_of(const Configuration& configuration) {
  return gpu::pci_bus_ids(configuration.gpus_per_rank);
}

// The beginnings of the UUIDs of each rank's GPUs, where this one's are at `buses`; empty where
// NVML knows none.
std::string gpus_of(distributed::Processes& processes, const std::vector<std::string>& buses) {
  struct Names {
    std::array<std::array<char, 13>, kMostGpusPerRank> text{};
  } mine;
  for (std::size_t i = 0; i < buses.size(); ++i) {
    nvml::uuid_of(buses[i]).copy(mine.text.at(i).data(), mine.text[i].size() - 1);
  }
  std::string all;
  for (const Names& names : gather(processes, mine)) {
    for (const auto& name : names.text) {
      if (name.front() != '\0') all += (all.empty() ? "" : ";") + std::string(name.data());
    }
  }
  return all;
}

// Of all ranks' GPUs the lowest; missing where NVML knows none.
std::optional<double> least_clock_mhz(distributed::Processes& processes,
                                      const std::vector<std::string>& buses) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double mine = kNone;
  for (const std::string& bus : buses)
    mine = std::min(mine, nvml::sm_clock_mhz(bus).value_or(kNone));
  const double least = std::ranges::min(gather(processes, mine));
  return least < kNone ? std::optional(least) : std::nullopt;
}

// For profilers that wait for it (`nsys --capture-range=cudaProfilerApi`).
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

}  // namespace

TrialReply EngineBench::run(const TrialRequest& request) {
  TrialReply reply;
  const std::string case_name =
      request.reference ? "reference" : spec_.configurations.at(request.configuration).case_name;
  const std::string source = request.source ? fmt::format("source {}", *request.source) : "count";
  const nvtx::Range engine_range(case_name.c_str(), request.configuration);
  const nvtx::Range source_range(source.c_str(), request.source.value_or(0));
  try {
    attempt(request, reply);
  } catch (const OutOfDeviceMemory& error) {
    out_of_device_memory(request, error, reply);
  } catch (const std::bad_alloc&) {
    fail(reply, Status::oom,
         fmt::format("std::bad_alloc {}, {} MiB resident at most", to_text(steps_.step()),
                     peak_resident_bytes() >> 20));
  } catch (const Unsupported& error) {  // by all ranks alike
    refuse(request, error.what(), reply);
  } catch (const InputError& error) {  // a missing GPU: maybe of this rank alone
    if (many()) end_all_ranks(processes_, Status::unsupported, error.what());
    refuse(request, error.what(), reply);
  } catch (const std::exception& error) {
    fail(reply, Status::crash,
         fmt::format("exception {}: {}", to_text(steps_.step()), error.what()));
  } catch (...) {
    fail(reply, Status::crash, fmt::format("unknown exception {}", to_text(steps_.step())));
  }
  // What a rank's own fault is ends all; the rest they have in common.
  if (many() && (reply.status == Status::oom || reply.status == Status::crash ||
                 reply.status == Status::interrupted)) {
    end_all_ranks(processes_, reply.status, reply.reason);
  }
  if (!request.reference) {
    reply.threads = threads_of(spec_.configurations[request.configuration]);
  }
  steps_.enter(Step::idle);
  reply.peak_bytes = sum(processes_, peak_resident_bytes() + peak_child_bytes());
  return reply;
}

void EngineBench::attempt(const TrialRequest& request, TrialReply& reply) {
  if (request.reference) {
    if (graph_.csr == nullptr) throw Unsupported("no whole graph");
    steps_.enter(Step::check);
    return tell(reference_counts(*graph_.csr, request.source.value()), reply);
  }
  if (!request.source) return count(request, reply);
  if (request.instrumented && spec_.configurations[request.configuration].engine->can.external) {
    throw Unsupported("an external program does not tell what its levels did");
  }
  load(request, reply);
  measure(request, reply);
  judge(request, reply);
}

void EngineBench::load(const TrialRequest& request, TrialReply& reply) {
  const Configuration& configuration = spec_.configurations[request.configuration];
  const bool external = configuration.engine->can.external;
  Loaded& slot = loaded_[request.configuration];
  if (!slot.engine) {
    const EngineSettings settings{configuration.toggles, spec_.answer, configuration.ranks,
                                  configuration.gpus_per_rank, many() ? &processes_ : nullptr};
    // What it writes for somebody's program is not that program's work.
    steps_.enter(external ? Step::graph : Step::setup);
    answer_judge_.make_room();
    processes_.barrier();
    const auto begin = clock::now();
    loading_ = configuration.engine->make(settings);
    loading_->load(graph_);
    if (!external) slot.setup_ms = maximum(processes_, ms_between(begin, clock::now()));
    slot.engine = std::move(loading_);
    steps_.enter(Step::warm_up);
    if (spec_.record_time) {
      for (unsigned i = 0; i < spec_.repeats.warmup; ++i) {
        const nvtx::Range range("warm-up");
        slot.engine->traverse(*request.source);
      }
    }
    if (!external) add_memory(slot.engine->memory(), reply);
  }
  steps_.enter(Step::idle);  // the time limit is the engine's own
  if (external) return;      // nobody knows what its process allocates when
  reply.setup_ms = slot.setup_ms;
  const MemoryUse memory = slot.engine->memory();
  std::uint64_t csr_bytes = 0;
  if (graph_.csr != nullptr) {
    const CsrGraph* incoming = graph_.csr->incoming();
    csr_bytes = graph_.csr->bytes();
    if (incoming != nullptr && incoming != graph_.csr) csr_bytes += incoming->bytes();
  }
  reply.graph_bytes = sum(processes_, csr_bytes + memory.graph);
  reply.queue_bytes = sum(processes_, memory.queues);
}

void EngineBench::add_memory(const MemoryUse& memory, TrialReply& reply) {
  struct Bytes {
    std::uint64_t graph, status, queues, scratch;
  };
  const Bytes mine{memory.graph, memory.status, memory.queues, memory.scratch};
  const std::vector<Bytes> all = gather(processes_, mine);
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    const auto add = [&](const char* part, std::uint64_t bytes) {
      reply.measures.push_back(
          measure_row(part, "engine_memory", static_cast<double>(bytes), "B", rank));
    };
    add("graph", all[rank].graph);
    add("status", all[rank].status);
    add("queues", all[rank].queues);
    add("scratch", all[rank].scratch);
  }
}

void EngineBench::measure(const TrialRequest& request, TrialReply& reply) {
  Loaded& slot = loaded_[request.configuration];
  // A profiler that is attached wants levels live; an instrumented trial wants their facts and
  // times. Ranks want the same, and rank 0's recorder is told of all.
  std::optional<LevelRecorder> recorder;
  const bool live = maximum(processes_, nvtx::attached() ? 1 : 0) > 0;
  if (request.instrumented || live) {
    recorder.emplace(LevelRecorder::Wants{
        .live = live, .counts = request.instrumented, .times = request.instrumented});
  }
  if (!recorder && slot.engine->most_searches() > 0) return take_search(request, reply);
  slot.searches.clear();
  LevelSink* const sink = recorder ? &*recorder : nullptr;
  const bool external = spec_.configurations[request.configuration].engine->can.external;
  const unsigned burst = recorder || external ? 1 : spec_.repeats.burst;
  observe(request, reply, burst, [&] { slot.engine->traverse(*request.source, sink); });
  if (burst > 1) reply.searches_per_trial = burst;
  if (live) reply.profiler = "attached";
  if (request.instrumented) {
    reply.level_rows = recorder->rows();
    reply.edges_checked = recorder->edges_checked();
    const std::vector<MeasureRow>& measures = recorder->measures();
    reply.measures.insert(reply.measures.end(), measures.begin(), measures.end());
  }
}

// The next of its source's searches, each of which is told once.
void EngineBench::take_search(const TrialRequest& request, TrialReply& reply) {
  Loaded& slot = loaded_[request.configuration];
  const auto found = [&] {
    return std::ranges::find_if(slot.searches, [&](const Search& each) {
      return each.source == *request.source && !each.taken;
    });
  };
  if (found() == slot.searches.end()) search_many(request, slot);
  Search& mine = *found();
  mine.taken = true;
  slot.shown = static_cast<std::size_t>(&mine - slot.searches.data());
  const TrialReply& of_all = slot.of_searches;
  reply.time_ms = reply.gpu_ms = mine.ms;
  reply.disturbance = of_all.disturbance;
  reply.foreign_load_pct = of_all.foreign_load_pct;
  reply.steal_pct = of_all.steal_pct;
  reply.cpu_mhz = of_all.cpu_mhz;
  reply.gpu = of_all.gpu;
  reply.sm_clock_mhz = of_all.sm_clock_mhz;
  reply.measures.insert(reply.measures.end(), of_all.measures.begin(), of_all.measures.end());
}

// From this source and those beside it.
void EngineBench::search_many(const TrialRequest& request, Loaded& slot) {
  const auto at = std::ranges::find(sources_, *request.source);
  if (at == sources_.end()) throw std::logic_error("a source that nobody announced");
  const std::size_t most = slot.engine->most_searches();
  const auto first = static_cast<std::size_t>(at - sources_.begin()) / most * most;
  const std::span<const vertex_t> group =
      std::span(sources_).subspan(first, std::min(most, sources_.size() - first));
  slot.searches.clear();
  slot.of_searches = {};
  std::vector<double> ms;
  observe(request, slot.of_searches, 1, [&] { ms = slot.engine->search_many(group); });
  for (std::size_t i = 0; i < group.size(); ++i) slot.searches.push_back({group[i], ms.at(i)});
}

// Runs `work` so often between the observers of what may disturb it, and tells its mean time and
// theirs.
void EngineBench::observe(const TrialRequest& request, TrialReply& reply, unsigned times,
                          const std::function<void()>& work) {
  const Engine& engine = *loaded_[request.configuration].engine;
  const Configuration& configuration = spec_.configurations[request.configuration];
  const bool on_gpu = configuration.engine->can.gpu;
  settle_threads(configuration.engine->can.external ? std::nullopt : threads_of(configuration));
  if (on_gpu) {
    GpuWatch::Probe probe;
    if (!nvtx::attached()) probe = [](const std::string& bus) { return gpu::probe_ms(bus); };
    gpu_watch_.begin(buses_of(configuration), probe);
  }
  std::optional<double> gpu_ms;  // of all times, asked for outside of theirs
  meter_.begin(load_matters());
  steps_.enter(Step::traverse);
  {
    // What counts runs other code, and beside the trial that is profiled.
    const ProfiledRegion region(on_gpu && nvtx::attached() && !request.instrumented);
    const nvtx::Range range(request.instrumented ? "instrumented" : "measured");
    double all_ms = 0;
    for (unsigned i = 0; i < times; ++i) {
      processes_.barrier();
      const auto begin = clock::now();
      work();
      processes_.barrier();  // complete when all ranks are
      all_ms += ms_between(begin, clock::now());
      if (const auto ms = engine.gpu_ms()) gpu_ms = gpu_ms.value_or(0) + *ms;
    }
    reply.time_ms = all_ms / times;
  }
  steps_.enter(Step::check);
  if (gpu_ms) reply.gpu_ms = *gpu_ms / times;
  double elsewhere_ms = gpu_ms.value_or(0);
  if (const auto own_ms = engine.own_time_ms()) {
    // What its process waits for is its own business.
    elsewhere_ms = *std::exchange(reply.time_ms, own_ms);
    reply.measures.push_back(measure_row("external", "process_time", elsewhere_ms, "ms"));
  }
  const LoadReading load = meter_.end(elsewhere_ms);
  note_disturbance(load, on_gpu ? gpu_watch_.end() : std::string(), reply);
  reply.cpu_mhz = std::round(processor_mhz());
  if (on_gpu) {
    const std::vector<std::string> buses = buses_of(configuration);
    reply.gpu = gpus_of(processes_, buses);
    reply.sm_clock_mhz = least_clock_mhz(processes_, buses);
  }
  // Omitted if nothing happened, as in most trials.
  const std::vector<LoadReading> loads = gather(processes_, load);
  for (unsigned rank = 0; rank < loads.size(); ++rank) {
    const auto switches = static_cast<double>(loads[rank].involuntary_switches);
    if (switches == 0) continue;
    reply.measures.push_back(measure_row("worker", "involuntary_switches", switches, "1", rank));
    reply.measures.push_back(
        measure_row("worker", "run_queue_delay", loads[rank].queue_delay_ms, "ms", rank));
  }
}

// Of several ranks that of the one which was disturbed most.
void EngineBench::note_disturbance(const LoadReading& load, const std::string& of_gpu,
                                   TrialReply& reply) {
  struct Told {
    double pct = 0;
    double steal_pct = 0;
    std::array<char, 240> words{};
  } mine;
  mine.steal_pct = load.steal_pct;
  mine.pct = of_gpu.empty() ? load.foreign_load_pct : 100;
  (of_gpu.empty() ? to_text(load) : of_gpu).copy(mine.words.data(), mine.words.size() - 1);
  const std::vector<Told> all = gather(processes_, mine);
  const auto worst = std::ranges::max_element(all, {}, &Told::pct);
  reply.foreign_load_pct = worst->pct;
  reply.steal_pct = std::ranges::max(all, {}, &Told::steal_pct).steal_pct;
  reply.disturbance = worst->words.data();
  if (many() && !reply.disturbance.empty()) {
    reply.disturbance = fmt::format("rank {}: {}", worst - all.begin(), reply.disturbance);
  }
}

// Where it would have been enough without others, the graph is not too large.
void EngineBench::out_of_device_memory(const TrialRequest& request, const OutOfDeviceMemory& error,
                                       TrialReply& reply) {
  // The error does not say which GPU's memory it was.
  std::vector<std::string> buses = buses_of(spec_.configurations.at(request.configuration));
  if (buses.empty()) buses.emplace_back();  // no context
  GpuWatch::Held held;
  for (const std::string& bus : buses) {
    GpuWatch::Held there = gpu_watch_.held_by_others(bus);
    if (there.bytes > held.bytes || held.text.empty()) held = std::move(there);
  }
  const bool theirs = held.bytes > 0 && error.free_bytes() + held.bytes >= error.wanted_bytes();
  fail(reply, theirs ? Status::interrupted : Status::oom,
       fmt::format("{} {}{}{}", error.what(), to_text(steps_.step()), held.text.empty() ? "" : "; ",
                   held.text));
}

// Its time is that of the counting, useful for planning the next run; its findings are measures.
void EngineBench::count(const TrialRequest& request, TrialReply& reply) {
  const Configuration& configuration = spec_.configurations[request.configuration];
  MeasureCollector found;
  meter_.begin(load_matters());
  steps_.enter(Step::count);
  const auto begin = clock::now();
  configuration.engine->count(graph_, configuration.toggles, found);
  reply.time_ms = ms_between(begin, clock::now());
  steps_.enter(Step::idle);
  const LoadReading load = meter_.end();
  reply.foreign_load_pct = load.foreign_load_pct;
  reply.steal_pct = load.steal_pct;
  reply.disturbance = to_text(load);
  if (graph_.csr != nullptr) reply.graph_bytes = graph_.csr->bytes();
  reply.measures = found.rows();
}

void EngineBench::judge(const TrialRequest& request, TrialReply& reply) {
  if (!spec_.configurations[request.configuration].engine->can.answers()) return;
  const Loaded& slot = loaded_[request.configuration];
  Engine& engine = *slot.engine;
  CheckResult result;
  try {
    if (many() || graph_.csr == nullptr) {
      auto in_place = engine.check_in_place(*request.source, request.check);
      if (!in_place) throw std::logic_error("an answer in parts, and no check of it in place");
      result = std::move(*in_place);
    } else {
      const AnswerView answer =
          slot.searches.empty() ? engine.answer() : engine.answer_of(slot.shown);
      require_halves(answer, graph_.csr->vertex_count(), spec_.answer);
      result = answer_judge_.judge(*graph_.csr, *request.source, answer, request.check);
    }
  } catch (const MalformedAnswer& fault) {
    result = refused(fault.what());
  }
  reply.validated = request.check;
  if (!result.ok) return fail(reply, Status::wrong, result.reason);
  tell(result, reply);
}

void EngineBench::tell(const CheckResult& found, TrialReply& reply) {
  reply.levels = found.levels;
  reply.reached_vertices = found.reached_vertices;
  reply.level_sum = found.level_sum;
  reply.component_edges = found.component_edges;
  reply.component_input_edges = found.component_input_edges;
}

void EngineBench::refuse(const TrialRequest& request, const std::string& reason,
                         TrialReply& reply) {
  // Their memory is free for others: this worker continues.
  loading_.reset();
  loaded_[request.configuration] = {};
  fail(reply, Status::unsupported, reason);
}

// Values from a failed trial are not measurements.
void EngineBench::fail(TrialReply& reply, Status status, const std::string& reason) {
  const auto setup_ms = reply.setup_ms;
  const bool validated = reply.validated;
  reply = TrialReply{};
  reply.status = status;
  reply.reason = reason;
  reply.setup_ms = setup_ms;
  reply.validated = validated;
}

}  // namespace bfslab
