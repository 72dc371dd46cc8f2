// SPDX-License-Identifier: Apache-2.0
// StepClock: a page of memory that a worker shares with the driver, in which it notes its current
// step and when that began, and, when a signal ends it, whether another process sent that signal.
// The driver reads it when it wakes up for a time limit or a death; the worker never makes a system
// call for it, so watching does not disturb the timed region. A worker behind a launcher shares no
// memory with the driver, and tells its steps as messages.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace bfslab {

enum class Step : std::uint32_t { idle, graph, setup, warm_up, traverse, check, count };

// "while loading the graph", "while traversing", ...
const char* to_text(Step step);
// The steps that limits.trial_s bounds: the engine's own.
inline bool limited(Step step) {
  return step == Step::setup || step == Step::warm_up || step == Step::traverse ||
         step == Step::count;
}

class StepClock {
 public:
  // The driver's side: creates the page. Throws std::runtime_error.
  StepClock();
  // The worker's side: the page of an inherited descriptor, which is then closed.
  explicit StepClock(int inherited_fd);
  // The side of a rank: a page of its own, and every step is told by `tell`.
  explicit StepClock(std::function<void(Step)> tell) : page_(&own_), tell_(std::move(tell)) {}
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;
  ~StepClock();

  [[nodiscard]] int fd() const { return fd_; }

  void enter(Step step) {
    page_->since.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                       std::memory_order_relaxed);
    page_->step.store(static_cast<std::uint32_t>(step), std::memory_order_release);
    if (tell_) tell_(step);
  }
  // The last thing that a worker does: for signal handlers.
  void note_foreign_signal() { page_->foreign_signal.store(1, std::memory_order_release); }
  [[nodiscard]] bool foreign_signal() const {
    return page_->foreign_signal.load(std::memory_order_acquire) != 0;
  }
  [[nodiscard]] Step step() const {
    return static_cast<Step>(page_->step.load(std::memory_order_acquire));
  }
  [[nodiscard]] std::chrono::steady_clock::time_point since() const {
    return std::chrono::steady_clock::time_point(
        std::chrono::steady_clock::duration(page_->since.load(std::memory_order_relaxed)));
  }

 private:
  struct Page {
    std::atomic<std::uint32_t> step;
    std::atomic<std::int64_t> since;
    std::atomic<std::uint32_t> foreign_signal;
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // shared between processes

  int fd_ = -1;
  Page own_{};
  Page* page_ = nullptr;
  std::function<void(Step)> tell_;
};

}  // namespace bfslab
