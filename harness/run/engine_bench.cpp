// SPDX-License-Identifier: Apache-2.0
#include "harness/run/engine_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "harness/check/reference.hpp"
#include "harness/observe/resident_memory.hpp"
#include "harness/record/level_recorder.hpp"
#include "harness/run/energy_trial.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/timed_search.hpp"
#include "kernels/device_errors.hpp"
#include "kernels/nvtx.hpp"
#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab {

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
         fmt::format("std::bad_alloc {}, {} MiB resident at most", to_text(services_.steps.step()),
                     peak_resident_bytes() >> 20));
  } catch (const Unsupported& error) {  // thrown by all ranks together
    refuse(request, error.what(), reply);
  } catch (const InputError& error) {  // a missing GPU, maybe on this rank alone
    if (many()) end_all_ranks(services_.processes, Status::unsupported, error.what());
    refuse(request, error.what(), reply);
  } catch (const std::exception& error) {
    fail(reply, Status::crash,
         fmt::format("exception {}: {}", to_text(services_.steps.step()), error.what()));
  } catch (...) {
    fail(reply, Status::crash,
         fmt::format("unknown exception {}", to_text(services_.steps.step())));
  }
  // A failure of one rank ends all ranks; other outcomes are common to all.
  if (many() && (reply.status == Status::oom || reply.status == Status::crash ||
                 reply.status == Status::interrupted)) {
    end_all_ranks(services_.processes, reply.status, reply.reason);
  }
  if (!request.reference) {
    reply.threads = threads_of(spec_.configurations[request.configuration]);
  }
  services_.steps.enter(Step::idle);
  reply.peak_bytes = sum(services_.processes, peak_resident_bytes() + peak_child_bytes());
  return reply;
}

void EngineBench::attempt(const TrialRequest& request, TrialReply& reply) {
  if (request.reference) {
    if (graph_.csr == nullptr) throw Unsupported("no whole graph");
    services_.steps.enter(Step::check);
    return write_counts(reference_counts(*graph_.csr, request.source.value(), request.depth_limit),
                        reply);
  }
  if (!request.source) return count(request, reply);
  if (request.instrumented && spec_.configurations[request.configuration].engine->can.external) {
    throw Unsupported(
        request.energy ? "the energy of an external program's search is unknown: its process reads "
                         "the graph, too"
                       : "an external program does not report the work of its levels");
  }
  load(request, reply);
  if (request.energy) {
    measure_energy(request, reply);
  } else {
    measure(request, reply);
  }
  judge(request, reply);
}

void EngineBench::load(const TrialRequest& request, TrialReply& reply) {
  const Configuration& configuration = spec_.configurations[request.configuration];
  const bool external = configuration.engine->can.external;
  Loaded& slot = loaded_[request.configuration];
  if (!slot.engine) {
    const EngineSettings settings{configuration.toggles, spec_.answer, configuration.ranks,
                                  configuration.gpus_per_rank,
                                  many() ? &services_.processes : nullptr};
    // Writing the graph for an external program is not that program's work.
    services_.steps.enter(external ? Step::graph : Step::setup);
    answer_judge_.make_room();
    services_.processes.barrier();
    const auto begin = std::chrono::steady_clock::now();
    loading_ = configuration.engine->make(settings);
    loading_->load(graph_);
    if (!external) slot.setup_ms = maximum(services_.processes, ms_since(begin));
    slot.engine = std::move(loading_);
    services_.steps.enter(Step::warm_up);
    if (spec_.record_time || spec_.record_energy) {
      for (unsigned i = 0; i < spec_.repeats.warmup; ++i) warm_up(request);
    }
    if (!external) add_memory(slot.engine->memory(), reply);
  }
  services_.steps.enter(Step::idle);  // the time limit is the engine's own
  if (external) return;               // its process allocates at times that are unknown here
  reply.setup_ms = slot.setup_ms;
  const MemoryUse memory = slot.engine->memory();
  std::uint64_t csr_bytes = 0;
  if (graph_.csr != nullptr) {
    const CsrGraph* incoming = graph_.csr->incoming();
    csr_bytes = graph_.csr->bytes();
    if (incoming != nullptr && incoming != graph_.csr) csr_bytes += incoming->bytes();
  }
  reply.graph_bytes = sum(services_.processes, csr_bytes + memory.graph);
  reply.queue_bytes = sum(services_.processes, memory.queues);
}

// Searches a batch if the trials do so, since single searches leave its memory cold.
void EngineBench::warm_up(const TrialRequest& request) {
  const nvtx::Range range("warm-up");
  const std::size_t batch = batch_of(spec_.configurations[request.configuration].toggles);
  Engine& engine = *loaded_[request.configuration].engine;
  if (batch == 1) return engine.traverse(*request.source);
  engine.search_many(group_of(*request.source, batch));
}

void EngineBench::add_memory(const MemoryUse& memory, TrialReply& reply) {
  struct Bytes {
    std::uint64_t graph, status, queues, scratch;
  };
  const Bytes own{memory.graph, memory.status, memory.queues, memory.scratch};
  const std::vector<Bytes> ranks = gather(services_.processes, own);
  for (unsigned rank = 0; rank < ranks.size(); ++rank) {
    const auto add = [&](const char* part, std::uint64_t bytes) {
      reply.measures.push_back(
          measure_row(part, "engine_memory", static_cast<double>(bytes), "B", rank));
    };
    add("graph", ranks[rank].graph);
    add("status", ranks[rank].status);
    add("queues", ranks[rank].queues);
    add("scratch", ranks[rank].scratch);
  }
}

void EngineBench::measure(const TrialRequest& request, TrialReply& reply) {
  Loaded& slot = loaded_[request.configuration];
  // An attached profiler needs levels live; an instrumented trial needs their facts and times. The
  // same holds on all ranks, and all of them report to rank 0's recorder.
  std::optional<LevelRecorder> recorder;
  const bool live = maximum(services_.processes, nvtx::attached() ? 1 : 0) > 0;
  if (request.instrumented || live) {
    recorder.emplace(LevelRecorder::Wants{
        .live = live, .counts = request.instrumented, .times = request.instrumented});
  }
  if (!recorder && slot.engine->max_searches() > 0) return take_search(request, reply);
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

// Lets searches follow one another until the counters of energy have advanced enough.
void EngineBench::measure_energy(const TrialRequest& request, TrialReply& reply) {
  const Configuration& configuration = spec_.configurations[request.configuration];
  Loaded& slot = loaded_[request.configuration];
  Engine& engine = *slot.engine;
  EnergyTrial energy(configuration.engine->can.gpu ? gpu_energy_counters(buses_of(configuration))
                                                   : package_energy_counters(),
                     services_.processes);
  // An engine of several searches in a row makes all of them from this source.
  const auto at_once = static_cast<unsigned>(std::max<std::size_t>(1, engine.max_searches()));
  const std::vector<vertex_t> row(at_once, *request.source);
  unsigned calls = 0;
  TimedSearch search{.engine = engine,
                     .configuration = configuration,
                     .instrumented = true,
                     .load_matters = load_matters()};
  if (energy.can_measure()) {
    search.again = [&](unsigned done) {
      calls = done;
      if (!energy.due(done)) return true;
      services_.steps.enter(Step::traverse);  // the time limit is for a batch
      return energy.read(done);
    };
  }
  time_search(
      services_, search,
      [&] {
        if (engine.max_searches() > 0) {
          engine.search_many(row);
        } else {
          engine.traverse(*request.source);
        }
      },
      reply);
  slot.group = {};
  slot.searches.clear();
  slot.calls.clear();
  slot.shown = 0;
  if (engine.max_searches() > 0) {
    slot.searches.push_back(
        {.source = *request.source, .verdict = {}, .by_rules = request.check, .taken = true});
    slot.calls.emplace_back();
    judge_searches(request, 0);
  }
  const double time_ms = std::exchange(reply.time_ms, std::nullopt).value_or(0);
  reply.gpu_ms.reset();
  if (nvtx::attached()) reply.profiler = "attached";
  EnergyTrial::Result found = energy.result();
  reply.reason = found.missing;
  if (!found.joules) return;
  reply.energy_j = *found.joules / at_once;
  reply.searches_per_trial = std::uint64_t{calls} * at_once;
  for (MeasureRow& each : found.measures) {
    each.value /= at_once;
    reply.measures.push_back(std::move(each));
  }
  reply.measures.push_back(measure_row("energy", "time_per_search", time_ms / at_once, "ms"));
}

// Reports the next search of this source; each search is reported once.
void EngineBench::take_search(const TrialRequest& request, TrialReply& reply) {
  Loaded& slot = loaded_[request.configuration];
  const auto found = [&] {
    return std::ranges::find_if(slot.searches, [&](const Search& each) {
      return each.source == *request.source && !each.taken && (each.by_rules || !request.check);
    });
  };
  if (found() == slot.searches.end()) search_many(request, reply);
  Search& search = *found();
  search.taken = true;
  slot.shown = static_cast<std::size_t>(&search - slot.searches.data());
  TrialReply own = slot.calls[search.call];
  if (!own.batch_searches) own.time_ms = own.gpu_ms = search.ms;
  own.measures.insert(own.measures.begin(), reply.measures.begin(), reply.measures.end());
  reply = std::move(own);
}

// Searches from this source and from those that the engine takes together with it, and judges the
// answers. `loaded` has the facts of the loaded engine, which all these searches share.
void EngineBench::search_many(const TrialRequest& request, const TrialReply& loaded) {
  Loaded& slot = loaded_[request.configuration];
  const std::span<const vertex_t> group = group_of(*request.source, slot.engine->max_searches());
  if (slot.searches.empty() || slot.group.data() != group.data()) {
    slot.searches.clear();
    slot.calls.clear();
  }
  slot.group = group;
  TrialReply all = loaded;
  all.measures.clear();
  std::vector<double> ms;
  observe(request, all, 1, [&] { ms = slot.engine->search_many(group); });
  if (ms.empty()) {  // together
    const auto count = static_cast<double>(group.size());
    all.batch_searches = group.size();
    all.batch_ms = all.time_ms;
    all.time_ms = *all.batch_ms / count;
    if (all.gpu_ms) all.gpu_ms = *all.gpu_ms / count;
    ms.assign(group.size(), *all.time_ms);
  }
  const std::size_t first = slot.searches.size();
  for (std::size_t i = 0; i < group.size(); ++i) {
    slot.searches.push_back({.source = group[i],
                             .ms = ms.at(i),
                             .call = slot.calls.size(),
                             .verdict = {},
                             .by_rules = request.check});
  }
  slot.calls.push_back(std::move(all));
  judge_searches(request, first);
}

// Judges the answers of the last call, whose searches begin at `first`. A batch counts only if all
// its answers are right.
void EngineBench::judge_searches(const TrialRequest& request, std::size_t first) {
  Loaded& slot = loaded_[request.configuration];
  const std::span<Search> searches = std::span(slot.searches).subspan(first);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    Search& search = searches[i];
    try {
      search.verdict =
          in_place()
              ? in_place_verdict(slot.engine->check_in_place_of(i, search.source, request.check))
              : judge_answer(request, search.source, slot.engine->answer_of(i), request.check);
    } catch (const MalformedAnswer& fault) {
      search.verdict = refused(fault.what());
    }
    if (search.verdict.ok || !slot.calls.back().batch_searches) continue;
    const CheckResult wrong =
        refused(fmt::format("source {}, one of {} searched together: {}", search.source,
                            searches.size(), search.verdict.reason));
    for (Search& each : searches) each.verdict = wrong;
    return;
  }
}

// Returns the sources that are searched in one call with this one, `size` at most.
std::span<const vertex_t> EngineBench::group_of(vertex_t source, std::size_t size) const {
  const auto at = std::ranges::find(sources_, source);
  if (at == sources_.end()) throw std::logic_error("a source that was not announced");
  const auto first = static_cast<std::size_t>(at - sources_.begin()) / size * size;
  return std::span(sources_).subspan(first, std::min(size, sources_.size() - first));
}

void EngineBench::observe(const TrialRequest& request, TrialReply& reply, unsigned times,
                          const std::function<void()>& work) {
  const TimedSearch search{.engine = *loaded_[request.configuration].engine,
                           .configuration = spec_.configurations[request.configuration],
                           .instrumented = request.instrumented,
                           .times = times,
                           .load_matters = load_matters(),
                           .cold = spec_.cold_caches ? &cold_caches_ : nullptr};
  time_search(services_, search, work, reply);
}

// If other processes hold the missing memory, the graph is not too large: the trial is retried.
void EngineBench::out_of_device_memory(const TrialRequest& request, const OutOfDeviceMemory& error,
                                       TrialReply& reply) {
  // The error does not name the GPU.
  std::vector<std::string> buses = buses_of(spec_.configurations.at(request.configuration));
  if (buses.empty()) buses.emplace_back();  // no context
  GpuWatch::Held held;
  for (const std::string& bus : buses) {
    GpuWatch::Held on_bus = services_.gpu_watch.held_by_others(bus);
    if (on_bus.bytes > held.bytes || held.text.empty()) held = std::move(on_bus);
  }
  const bool held_by_others =
      held.bytes > 0 && error.free_bytes() + held.bytes >= error.wanted_bytes();
  std::string reason = fmt::format("{} {}", error.what(), to_text(services_.steps.step()));
  if (!held.text.empty()) reason += "; " + held.text;
  if (const std::size_t others = gpu_engines_beside(request.configuration); others > 0) {
    reason += fmt::format(
        "; {} other case{} loaded on GPUs: --only '{}/*' --retry oom runs this one alone", others,
        others == 1 ? " is" : "s are", spec_.configurations[request.configuration].case_name);
  }
  fail(reply, held_by_others ? Status::interrupted : Status::oom, reason);
}

std::size_t EngineBench::gpu_engines_beside(std::size_t configuration) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    if (i == configuration || !loaded_[i].engine) continue;
    count += spec_.configurations[i].engine->can.gpu ? 1 : 0;
  }
  return count;
}

// Runs a counter. Its results are measures; its time helps to plan the next run.
void EngineBench::count(const TrialRequest& request, TrialReply& reply) {
  const Configuration& configuration = spec_.configurations[request.configuration];
  MeasureCollector found;
  services_.meter.begin(load_matters());
  services_.steps.enter(Step::count);
  const auto begin = std::chrono::steady_clock::now();
  configuration.engine->count(graph_, configuration.toggles, found);
  reply.time_ms = ms_since(begin);
  services_.steps.enter(Step::idle);
  const LoadReading load = services_.meter.end();
  reply.foreign_load_pct = load.foreign_load_pct;
  reply.steal_pct = load.steal_pct;
  reply.disturbance = to_text(load);
  if (graph_.csr != nullptr) reply.graph_bytes = graph_.csr->bytes();
  reply.measures = found.rows();
}

void EngineBench::judge(const TrialRequest& request, TrialReply& reply) {
  const auto& can = spec_.configurations[request.configuration].engine->can;
  if (!can.answers() && !can.external) return;
  const Loaded& slot = loaded_[request.configuration];
  CheckResult result;
  try {
    if (!slot.searches.empty()) {
      result = slot.searches[slot.shown].verdict;
    } else if (in_place()) {
      result = in_place_verdict(slot.engine->check_in_place(*request.source, request.check));
    } else {
      const AnswerView answer = slot.engine->answer();
      if (!can.answers()) return;  // a program that reports no levels; its own check has passed
      result = judge_answer(request, *request.source, answer, request.check);
    }
  } catch (const MalformedAnswer& fault) {
    result = refused(fault.what());
  }
  reply.validated = request.check;
  if (!result.ok) return fail(reply, Status::wrong, result.reason);
  write_counts(result, reply);
}

CheckResult EngineBench::in_place_verdict(std::optional<CheckResult> verdict) {
  if (!verdict) throw std::logic_error("an answer in parts, and no check of it in place");
  return std::move(*verdict);
}

CheckResult EngineBench::judge_answer(const TrialRequest& request, vertex_t source,
                                      const AnswerView& answer, bool rules) {
  const level_t limit = depth_limit_of(spec_.configurations[request.configuration].toggles);
  require_halves(answer, graph_.csr->vertex_count(), spec_.answer);
  return answer_judge_.judge(*graph_.csr, {source, limit}, answer, rules);
}

void EngineBench::write_counts(const CheckResult& found, TrialReply& reply) {
  reply.levels = found.levels;
  reply.reached_vertices = found.reached_vertices;
  reply.level_sum = found.level_sum;
  reply.component_edges = found.component_edges;
  reply.component_input_edges = found.component_input_edges;
}

void EngineBench::refuse(const TrialRequest& request, const std::string& reason,
                         TrialReply& reply) {
  // This worker continues, with the engine's memory free for others.
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
