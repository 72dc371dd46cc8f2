// SPDX-License-Identifier: Apache-2.0
// EngineBench: the engines of one graph inside a worker, each loaded once and kept, and the running
// of one trial: load, warm up, traverse with timing, check; or, for a counter, count. In a worker
// of several ranks each has one, and all run the same trials in step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/check/answer_judge.hpp"
#include "harness/observe/gpu_watch.hpp"
#include "harness/observe/load_meter.hpp"
#include "harness/run/protocol.hpp"
#include "harness/run/step_clock.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/device_errors.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

class EngineBench {
 public:
  // `graph.csr` is null where nothing that will be requested needs it, and on ranks other than 0.
  // `sources`: those that will be asked for, of which engines that can search from several at once.
  EngineBench(const Spec& spec, const GraphSource& graph, std::vector<vertex_t> sources,
              StepClock& steps, LoadMeter& meter, GpuWatch& gpu_watch,
              distributed::Processes& processes)
      : spec_(spec),
        graph_(graph),
        sources_(std::move(sources)),
        steps_(steps),
        meter_(meter),
        gpu_watch_(gpu_watch),
        processes_(processes) {
    loaded_.resize(spec.configurations.size());
  }

  // Never throws for what an engine or a counter does: its std::bad_alloc is `oom` (`interrupted`
  // where others hold the GPU memory that it needs), its InputError
  // (a graph that it cannot take, a missing GPU, Unsupported) `unsupported`, any other
  // exception `crash`, an answer that breaks a rule `wrong`, whose time is not reported.
  // After `unsupported` the engine is dropped, and everything else is as before. Of several ranks
  // all throw Unsupported together, and whatever else one of them throws ends them all
  // (end_all_ranks): the others may be waiting for it.
  // What is told is rank 0's: times are its own, between barriers of all, set-up and load the worst
  // of any rank, and bytes the sum of all.
  TrialReply run(const TrialRequest& request);

 private:
  // One of several that an engine made without returning to the host; a trial takes it once.
  struct Search {
    vertex_t source = 0;
    double ms = 0;
    bool taken = false;
  };
  struct Loaded {
    std::unique_ptr<Engine> engine;
    std::optional<double> setup_ms;  // of an external program unknown
    // Those that the last trial's came from: none where it searched alone.
    std::vector<Search> searches;
    TrialReply of_searches = {};  // what is true of each of them
    std::size_t shown = 0;        // the last trial's
  };

  void attempt(const TrialRequest& request, TrialReply& reply);
  void load(const TrialRequest& request, TrialReply& reply);
  void note_disturbance(const LoadReading& load, const std::string& of_gpu, TrialReply& reply);
  void out_of_device_memory(const TrialRequest& request, const OutOfDeviceMemory& error,
                            TrialReply& reply);
  void measure(const TrialRequest& request, TrialReply& reply);
  void take_search(const TrialRequest& request, TrialReply& reply);
  void search_many(const TrialRequest& request, Loaded& slot);
  void observe(const TrialRequest& request, TrialReply& reply, unsigned times,
               const std::function<void()>& work);
  void judge(const TrialRequest& request, TrialReply& reply);
  static void tell(const CheckResult& found, TrialReply& reply);
  void count(const TrialRequest& request, TrialReply& reply);
  void add_memory(const MemoryUse& memory, TrialReply& reply);
  [[nodiscard]] bool load_matters() const { return spec_.pollution.limit_pct < 100; }
  [[nodiscard]] bool many() const { return processes_.size() > 1; }
  void refuse(const TrialRequest& request, const std::string& reason, TrialReply& reply);
  void fail(TrialReply& reply, Status status, const std::string& reason);

  const Spec& spec_;
  GraphSource graph_;
  std::vector<vertex_t> sources_;
  StepClock& steps_;
  LoadMeter& meter_;
  GpuWatch& gpu_watch_;
  distributed::Processes& processes_;
  std::vector<Loaded> loaded_;
  // Until it is loaded. A rank's engine is not destroyed before a fault of its has been told: its
  // destructor may wait for the other ranks.
  std::unique_ptr<Engine> loading_;
  AnswerJudge answer_judge_;
};

}  // namespace bfslab
