// SPDX-License-Identifier: Apache-2.0
// StepClock: a page of memory that a worker shares with the driver. The worker notes its current
// step there, when the step began, and, when a signal ends it, whether another process sent the
// signal. The driver reads it when it wakes up for a time limit or a death. The worker makes no
// system call for it, so watching does not disturb the timed region. A worker behind a launcher
// shares no memory with the driver, and reports its steps as messages.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace bfslab {

enum class Step : std::uint32_t { idle, graph, setup, warm_up, traverse, check, count };

// Returns "while loading the graph", "while traversing", ...
const char* to_text(Step step);
// Returns whether limits.trial_s bounds the step: those of the engine itself.
inline bool limited(Step step) {
  return step == Step::setup || step == Step::warm_up || step == Step::traverse ||
         step == Step::count;
}

class StepClock {
 public:
  // Creates the page, in the driver. Throws std::runtime_error.
  StepClock();
  // Maps the page of an inherited descriptor, in a worker, and closes the descriptor.
  explicit StepClock(int inherited_fd);
  // Uses a private page, in a rank, and reports every step by `report`.
  explicit StepClock(std::function<void(Step)> report) : page_(&own_), report_(std::move(report)) {}
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;
  ~StepClock();

  [[nodiscard]] int fd() const { return fd_; }

  void enter(Step step) {
    page_->since.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                       std::memory_order_relaxed);
    page_->step.store(static_cast<std::uint32_t>(step), std::memory_order_release);
    if (report_) report_(step);
  }
  // Notes that another process sent the signal that ends the worker. For signal handlers.
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
  std::function<void(Step)> report_;
};

}  // namespace bfslab
