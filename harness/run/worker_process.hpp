// SPDX-License-Identifier: Apache-2.0
// WorkerProcess: the driver's handle on one worker. Starts this same program again as
// `bfslab worker`, talks to it over pipes, watches its time and memory, and says how it ended. The
// driver sleeps while a trial runs: it wakes for a reply, for a limit, or for a signal.
//
// A worker of several ranks is started by a launcher. The pipes are then the launcher's standard
// input and output, which it connects to rank 0. Nothing that it started outlives this handle: it
// is asked to end by SIGTERM, so that it ends ranks on other hosts too, and what is left on this
// host after a short while is killed. So that ranks whose launcher has died are still found, the
// driver is the subreaper of its descendants meanwhile.
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

namespace bfslab {

// Descriptors that a worker inherits.
inline constexpr int kRequestFd = 3;
inline constexpr int kReplyFd = 4;
inline constexpr int kStepFd = 5;

struct WorkerLimits {
  double step_s = 0;               // of each of the engine's steps; 0: none
  std::uint64_t memory_bytes = 0;  // resident, of all its processes on this host; 0: none
};

// The worker is gone: by itself, or killed for passing a limit.
struct WorkerDeath {
  Status status = Status::crash;  // crash, timeout, oom or interrupted
  std::string reason;             // signal or exit code, the step it was in, its last output
  // Of `interrupted`: that it was ended from outside is known, and not only likely, as after
  // SIGKILL, of which nobody learns the sender.
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

  // Whether a signal stopped the worker, for a while or for good, since the last request; of a
  // launched worker always false.
  [[nodiscard]] bool was_stopped() const { return was_stopped_; }

  // No more requests: lets the worker end by itself, so that a profiler in it can write its report.
  // Returns how it ended if that was not normal, else an empty string. Throws Interrupted.
  std::string finish();

 private:
  void start();
  [[noreturn]] void become_worker(int request_fd, int reply_fd, int log_fd, char* const* command,
                                  char* const* environment) const;
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
  // What it wrote to its log, at most so much of its end.
  [[nodiscard]] std::string log_text(off_t most) const;
  [[nodiscard]] std::string last_words() const;
  void log_line(const std::string& line) const;

  std::string log_;
  WorkerLimits limits_;
  const Interrupts& interrupts_;
  std::vector<std::string> launcher_;
  std::vector<pid_t> others_;  // children that this process had before
  std::vector<pid_t> tree_;    // the worker's processes, as last looked up
  std::chrono::steady_clock::time_point tree_at_;
  StepClock steps_;
  pid_t process_ = -1;
  int wait_status_ = 0;
  int request_fd_ = -1;
  int reply_fd_ = -1;
  int process_fd_ = -1;
  std::string received_;
  off_t log_begin_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  WorkerDeath limit_passed_;  // set when this side killed it
  bool killed_ = false;
  bool was_stopped_ = false;
};

// The words with which a launcher starts this program as one of `ranks` processes.
std::vector<std::string> rank_command(unsigned ranks);

}  // namespace bfslab
