// SPDX-License-Identifier: Apache-2.0
// WorkerProcess: the driver's handle on one worker. It starts this same program again as
// `bfslab worker`, exchanges messages with it over pipes, watches its time and memory, and reports
// how it ended. The driver sleeps while a trial runs: it wakes for a reply, a limit, or a signal.
//
// A worker of several ranks is started by a launcher. The pipes are then the launcher's standard
// input and output, which it connects to rank 0. No process of the launcher outlives this handle:
// it is asked to end by SIGTERM, so that it also ends ranks on other hosts, and its processes on
// this host are killed after a short while. The driver is the subreaper of its descendants
// meanwhile, so that it finds ranks whose launcher has died.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/interrupts.hpp"
#include "harness/run/protocol.hpp"
#include "harness/run/step_clock.hpp"
#include "harness/run/worker_log.hpp"
#include "harness/run/worker_start.hpp"

namespace bfslab {

struct WorkerLimits {
  double step_s = 0;               // for each of the engine's steps; 0: none
  std::uint64_t memory_bytes = 0;  // resident, of all its processes on this host; 0: none
};

// The worker is gone: by itself, or killed for passing a limit.
struct WorkerDeath {
  Status status = Status::crash;  // crash, timeout, oom or interrupted
  std::string reason;             // signal or exit code, the step it was in, its last output
  // False for an `interrupted` worker that another process has only probably ended: the sender of
  // SIGKILL is unknown.
  bool certain = true;
};

class WorkerProcess {
 public:
  // Standard output and error of the worker are appended to `log`. Throws std::runtime_error.
  // `launcher`: the words of the command that starts its ranks, empty for a worker of one process.
  WorkerProcess(std::string log, WorkerLimits limits, const Interrupts& interrupts,
                std::vector<std::string> launcher = {});
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  // Kills the worker if it is still running.
  ~WorkerProcess();

  // Sends a request and waits for its reply. Notices on the way go to `notice`. Throws Interrupted,
  // and std::runtime_error for a worker's own fault or a line that cannot be parsed.
  using Outcome = std::variant<GraphFactsReply, TrialReply, FailedReply, ClosedReply, WorkerDeath>;
  Outcome ask(const Request& request, const std::function<void(const std::string&)>& notice);

  // Returns whether a signal stopped the worker, for a while or for good, since the last request;
  // always false for a launched worker.
  [[nodiscard]] bool was_stopped() const { return was_stopped_; }

  // Lets the worker end by itself, without further requests, so that a profiler in it can write its
  // report.
  // Returns how it ended, with the last lines of its log, if that was not normal; else an empty
  // string. Throws Interrupted.
  std::string finish();

 private:
  bool next_line(std::string& line);
  [[nodiscard]] int wait_ms() const;
  bool over_limit();
  bool peak_over_limit();
  [[nodiscard]] bool stopped_now() const;
  void watch_stops();
  WorkerDeath died();
  [[nodiscard]] WorkerDeath out_of_memory(std::uint64_t peak_bytes, const std::string& tail) const;
  void end_what_it_left() const;
  void kill_and_reap();
  void end_launched();
  [[nodiscard]] bool launched() const { return !launcher_.empty(); }
  [[nodiscard]] std::vector<pid_t> launched_processes() const;
  [[nodiscard]] std::uint64_t resident();
  [[nodiscard]] std::string how_it_ended() const;

  WorkerLog log_;
  WorkerLimits limits_;
  const Interrupts& interrupts_;
  std::vector<std::string> launcher_;
  std::vector<pid_t> others_;  // children that this process had before
  std::vector<pid_t> tree_;    // the worker's processes, as last looked up
  std::chrono::steady_clock::time_point tree_at_;
  StepClock steps_;
  StartedWorker started_;
  int wait_status_ = 0;
  std::string received_;
  std::uint64_t oom_kills_before_ = 0;
  WorkerDeath limit_passed_;  // set when this side killed it
  bool killed_ = false;
  bool was_stopped_ = false;
  bool has_loaded_ = false;  // it has answered a request for a graph
};

}  // namespace bfslab
