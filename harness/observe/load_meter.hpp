// SPDX-License-Identifier: Apache-2.0
// LoadMeter: measures how much other programs disturbed a trial (`foreign_load_pct`). The worker
// itself measures just outside the timed region.
//
//   busy  = ticks that the processors this worker may use spent neither idle nor waiting for I/O,
//           stolen time of a virtual machine included (/proc/stat, 10 ms resolution)
//   own   = processor time of the worker, of its children that have ended (an external program's
//           processes) and of its driver (nanoseconds); with several ranks, that of
//           all ranks and of their launcher on this host, and `busy` covers all the processors that
//           they may use
//   share = 100 * (busy - own) / (window * processors), at least 0, at most 100
//   delay = 100 * time that the worker's threads were runnable but queued during the trial
//           / (trial * min(threads, processors)), from /proc/self/task/*/schedstat; counted only
//           when a thread was preempted (involuntary context switches), because a wake-up costs
//           some microseconds of queue on an idle machine too, and only while the worker has no
//           more threads than processors (together with the other ranks on this host), because
//           beyond that its threads wait for each other
//   lost  = the trial - (processor time of the worker's threads + their delay + the device's time):
//           time that nothing of these explains, because a signal stopped the process, its
//           container was frozen, its virtual machine did not run, or it waited for a disk. Threads
//           that work at once explain more than the time that passes, so that this is a lower
//           bound; less than kLeastLostMs is ignored.
//   stop  = 100 * lost / trial
//   foreign_load_pct = max(share, delay, stop)
//   steal = the part of `share` that the host of a virtual machine gave to others
//
// A tick is longer than many trials. So the window of `share` is the trial, extended backwards to
// at least kWindow: with P processors its resolution is then 100 * 10 ms / (kWindow * P) percent.
// Programs that ran in the extension just before the trial therefore count, too, so that in doubt a
// trial is marked as polluted.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <string>
#include <vector>

namespace bfslab {

// The main disturbance of a trial.
enum class Disturbance { none, processes, stolen, queue, lost_time };

struct LoadReading {
  double foreign_load_pct = 0;
  Disturbance by = Disturbance::none;
  double steal_pct = 0;
  double lost_ms = 0;
  double queue_delay_ms = 0;               // summed over the worker's threads
  std::uint64_t involuntary_switches = 0;  // of the worker's threads
};

// Describes it: "13.4 % of the processors' time went to other processes"; empty if there was none.
std::string to_text(const LoadReading& reading);

// The processes that work on a trial on this host, and their processors.
struct Company {
  unsigned ranks = 1;              // including this process
  std::vector<pid_t> others = {};  // their processor time is not foreign
  cpu_set_t processors = {};
  // Returns the company of a worker of one process: its driver.
  static Company of_one();
};

class LoadMeter {
 public:
  static constexpr std::chrono::milliseconds kWindow{200};
  static constexpr double kLeastLostMs = 2;

  explicit LoadMeter(const Company& company = Company::of_one());
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;
  ~LoadMeter();

  // Call it just before the timed region. Before the first trial of a process it sleeps until the
  // meter is kWindow old, unless `whole_window` is false, as where no load can spoil a trial.
  void begin(bool whole_window = true);
  // Call it just after the timed region. `device_ms`: the part in which a GPU worked.
  LoadReading end(double device_ms = 0);

 private:
  using clock = std::chrono::steady_clock;
  struct Sample {
    clock::time_point at;
    std::int64_t busy_ns = 0;
    std::int64_t stolen_ns = 0;  // part of busy_ns
    std::int64_t self_ns = 0;    // processor time of this process, and of its children
    std::int64_t own_ns = 0;     // self_ns and that of its company
  };
  struct Threads {
    std::size_t count = 0;
    std::int64_t delay_ns = 0;
    std::uint64_t involuntary = 0;
  };

  [[nodiscard]] Sample sample() const;
  [[nodiscard]] static Threads threads();

  int stat_fd_ = -1;
  unsigned ranks_ = 1;
  std::vector<clockid_t> others_;
  std::vector<bool> allowed_;
  std::size_t processors_ = 1;
  std::int64_t tick_ns_ = 10'000'000;
  std::deque<Sample> samples_;  // oldest first; at most one older than kWindow
  Sample begun_;
  Threads threads_begun_;
};

}  // namespace bfslab
