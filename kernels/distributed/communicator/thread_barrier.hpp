// SPDX-License-Identifier: Apache-2.0
// Waits of the threads of a team: they spin for a short while, then sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "kernels/distributed/communicator/communicator.hpp"

namespace bfslab::distributed {

inline unsigned cores() {
  static const unsigned count = std::thread::hardware_concurrency();
  return count;
}

// Returns how many turns each of `threads` spins before it sleeps: some ten microseconds, or 0 if
// threads share cores, so that the others can run.
inline int active_turns(unsigned threads) { return threads <= cores() ? 2000 : 0; }

// Returns how long an idle thread stays awake, as OpenMP threads do: in a virtual machine a
// sleeping thread wakes 0.05 to 0.3 ms late, and a search on two GPUs takes 1 ms. Returns 0 if
// waiting threads would occupy more than half of the cores.
inline std::chrono::milliseconds standby_time(unsigned threads) {
  return std::chrono::milliseconds(2 * threads <= cores() ? 200 : 0);
}

inline void pause_turn() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until `value` is no longer `old`.
inline void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                            int active) {
  for (int turn = 0; turn < active; ++turn) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_turn();
  }
  value.wait(old, std::memory_order_acquire);
}

// The same for at most `longest`, while yielding the core to other threads that have work.
inline void stand_by(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                     std::chrono::milliseconds longest) {
  constexpr int kTurns = 16;  // about a microsecond
  const auto end = std::chrono::steady_clock::now() + longest;
  while (std::chrono::steady_clock::now() < end) {
    for (int turn = 0; turn < kTurns; ++turn) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause_turn();
    }
    std::this_thread::yield();
  }
}

// A barrier of `count` threads. After abort() every waiting thread throws Aborted.
class Barrier {
 public:
  Barrier(unsigned count, int active) : count_(count), active_(active) {}

  void wait() {
    if (count_ == 1) return;
    const std::uint32_t phase = phase_.load(std::memory_order_acquire);
    if (aborted_.load(std::memory_order_acquire)) throw Aborted();
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.fetch_add(1, std::memory_order_acq_rel);
      phase_.notify_all();
    } else {
      wait_for_change(phase_, phase, active_);
    }
    if (aborted_.load(std::memory_order_acquire)) throw Aborted();
  }

  // Called while no thread waits.
  void reset() {
    arrived_.store(0, std::memory_order_relaxed);
    aborted_.store(false, std::memory_order_release);
  }

  void abort() {
    aborted_.store(true, std::memory_order_release);
    phase_.fetch_add(1, std::memory_order_acq_rel);
    phase_.notify_all();
  }

 private:
  const unsigned count_;
  const int active_;
  std::atomic<std::uint32_t> phase_{0};
  std::atomic<unsigned> arrived_{0};
  std::atomic<bool> aborted_{false};
};

}  // namespace bfslab::distributed
