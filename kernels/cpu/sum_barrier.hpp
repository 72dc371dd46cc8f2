// SPDX-License-Identifier: Apache-2.0
// SumBarrier: a barrier of the threads of a team that also sums a value of each thread.
//
// A level of a search ends with both: all threads have done their parts, and all need the sum to
// decide on the next level. After OpenMP's barrier every thread would read every thread's value;
// here one thread reads them, and the others read one cache line.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bfslab::cpu {

template <typename Value>
class SumBarrier {
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> turn{0};
    Value value;
  };

 public:
  static constexpr std::size_t kBytesPerThread = sizeof(Slot);

  SumBarrier() = default;
  // For a team of `threads`, all of which call wait() the same number of times.
  explicit SumBarrier(std::size_t threads)
      : slots_(threads),
        spins_(threads <= static_cast<std::size_t>(omp_get_num_procs()) ? kSpins : 0) {}

  // Returns the sum of all threads' values once all threads have called this. Afterwards each
  // thread sees everything that any of them wrote before.
  Value wait(std::size_t thread, const Value& value) {
    Slot& own = slots_[thread];
    const std::uint32_t turn = own.turn.load(std::memory_order_relaxed) + 1;
    if (thread != 0) {
      own.value = value;
      own.turn.store(turn, std::memory_order_release);
      wait_for(slots_[0], turn);
      return slots_[0].value;
    }
    Value sum = value;
    for (std::size_t other = 1; other < slots_.size(); ++other) {
      wait_for(slots_[other], turn);
      sum += slots_[other].value;
    }
    own.value = sum;
    own.turn.store(turn, std::memory_order_release);
    return sum;
  }

 private:
  static constexpr unsigned kSpins = 1U << 14;  // reads before the thread yields its processor

  void wait_for(const Slot& slot, std::uint32_t turn) const {
    for (unsigned reads = 0; slot.turn.load(std::memory_order_acquire) != turn; ++reads) {
      if (reads >= spins_) {
        std::this_thread::yield();
      } else {
#if defined(__x86_64__)
        _mm_pause();
#endif
      }
    }
  }

  std::vector<Slot> slots_;  // the first one's value is the sum
  unsigned spins_ = 0;
};

}  // namespace bfslab::cpu
