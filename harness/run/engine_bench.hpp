// SPDX-License-Identifier: Apache-2.0
// EngineBench: the engines of one graph inside a worker. Each is loaded once and kept. A trial
// loads the engine, warms it up, traverses with timing, and checks the answer; or, for a counter,
// counts. In a worker of several ranks each rank has an EngineBench, and all run the same trials
// together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/check/answer_judge.hpp"
#include "harness/run/cold_caches.hpp"
#include "harness/run/protocol.hpp"
#include "harness/run/worker_services.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/device_errors.hpp"

namespace bfslab {

class EngineBench {
 public:
  // `graph.csr` is null where nothing that will be requested needs it, and on ranks other than 0.
  // `sources`: the sources of all trials; an engine may search from several of them at once.
  EngineBench(const Spec& spec, const GraphSource& graph, std::vector<vertex_t> sources,
              const WorkerServices& services)
      : spec_(spec), graph_(graph), sources_(std::move(sources)), services_(services) {
    loaded_.resize(spec.configurations.size());
  }

  // Never throws for what an engine or a counter does: its std::bad_alloc is `oom` (`interrupted`
  // where others hold the GPU memory that it needs), its InputError
  // (a graph that it cannot take, a missing GPU, Unsupported) `unsupported`, any other
  // exception `crash`, an answer that breaks a rule `wrong`, whose time is not reported.
  // After `unsupported` the engine is dropped, and everything else is as before. With several
  // ranks, all of them throw Unsupported together. Any other exception of one rank ends all ranks
  // (end_all_ranks), since the others may be waiting for it.
  // Rank 0 replies for all: times are its own, between barriers of all ranks; set-up and load are
  // the maximum of any rank; bytes are the sum of all.
  TrialReply run(const TrialRequest& request);

 private:
  // One of several searches that an engine made in one call. One trial takes it.
  struct Search {
    vertex_t source = 0;
    double ms = 0;
    std::size_t call = 0;   // index into Loaded::calls
    CheckResult verdict;    // of its answer, which only the last call's searches still have
    bool by_rules = false;  // validated, not only counted
    bool taken = false;
  };
  struct Loaded {
    std::unique_ptr<Engine> engine;
    std::optional<double> setup_ms;  // unknown for an external program
    // The searches that the last trial took its own from; none if it searched alone. Their sources
    // are one group, which is searched again if a trial finds none left: a disturbed batch makes
    // each of its trials repeat, and the next attempts of all of them share the next batch.
    std::vector<Search> searches;
    std::vector<TrialReply> calls = {};  // facts that the searches of a call share
    std::span<const vertex_t> group = {};
    std::size_t shown = 0;  // index of the last trial's search
  };

  void attempt(const TrialRequest& request, TrialReply& reply);
  void load(const TrialRequest& request, TrialReply& reply);
  void out_of_device_memory(const TrialRequest& request, const OutOfDeviceMemory& error,
                            TrialReply& reply);
  [[nodiscard]] std::size_t gpu_engines_beside(std::size_t configuration) const;
  void measure(const TrialRequest& request, TrialReply& reply);
  void measure_energy(const TrialRequest& request, TrialReply& reply);
  void take_search(const TrialRequest& request, TrialReply& reply);
  void search_many(const TrialRequest& request, const TrialReply& loaded);
  void observe(const TrialRequest& request, TrialReply& reply, unsigned times,
               const std::function<void()>& work);
  [[nodiscard]] std::span<const vertex_t> group_of(vertex_t source, std::size_t size) const;
  void warm_up(const TrialRequest& request);
  void judge(const TrialRequest& request, TrialReply& reply);
  CheckResult judge_answer(const TrialRequest& request, vertex_t source, const AnswerView& answer,
                           bool rules);
  void judge_searches(const TrialRequest& request, std::size_t first);
  static CheckResult in_place_verdict(std::optional<CheckResult> verdict);
  [[nodiscard]] bool in_place() const { return many() || graph_.csr == nullptr; }
  static void write_counts(const CheckResult& found, TrialReply& reply);
  void count(const TrialRequest& request, TrialReply& reply);
  void add_memory(const MemoryUse& memory, TrialReply& reply);
  [[nodiscard]] bool load_matters() const { return spec_.pollution.limit_pct < 100; }
  [[nodiscard]] bool many() const { return services_.processes.size() > 1; }
  void refuse(const TrialRequest& request, const std::string& reason, TrialReply& reply);
  void fail(TrialReply& reply, Status status, const std::string& reason);

  const Spec& spec_;
  GraphSource graph_;
  std::vector<vertex_t> sources_;
  WorkerServices services_;
  std::vector<Loaded> loaded_;
  // The engine that is being loaded. A rank's engine is not destroyed before its fault is reported,
  // since its destructor may wait for the other ranks.
  std::unique_ptr<Engine> loading_;
  AnswerJudge answer_judge_;
  ColdCaches cold_caches_;
};

}  // namespace bfslab
