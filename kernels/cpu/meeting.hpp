// SPDX-License-Identifier: Apache-2.0
// Meeting: a barrier of the threads of a team that also adds up what each of them brings.
//
// A level of a search ends with both: all threads have done their parts, and all need the sum to
// decide what comes next. OpenMP's barrier and a sum by every thread over every thread's counts
// read each of these lines once a thread; here one thread reads them, and the others read one line.
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

// `Value` has operator+=.
template <typename Value>
class Meeting {
  struct alignas(64) Seat {
    std::atomic<std::uint32_t> turn{0};
    Value value;
  };

 public:
  static constexpr std::size_t kBytesPerThread = sizeof(Seat);

  Meeting() = default;
  // Of so many threads, who all come to every meeting.
  explicit Meeting(std::size_t threads)
      : seats_(threads),
        patience_(threads <= static_cast<std::size_t>(omp_get_num_procs()) ? kPatience : 0) {}

  // What all threads of the team brought, once all are here. What any of them wrote before is
  // visible to all after it.
  Value meet(std::size_t thread, const Value& brought) {
    Seat& own = seats_[thread];
    const std::uint32_t turn = own.turn.load(std::memory_order_relaxed) + 1;
    if (thread != 0) {
      own.value = brought;
      own.turn.store(turn, std::memory_order_release);
      wait_for(seats_[0], turn);
      return seats_[0].value;
    }
    Value sum = brought;
    for (std::size_t other = 1; other < seats_.size(); ++other) {
      wait_for(seats_[other], turn);
      sum += seats_[other].value;
    }
    own.value = sum;
    own.turn.store(turn, std::memory_order_release);
    return sum;
  }

 private:
  static constexpr unsigned kPatience = 1U << 14;  // looks before others are let run

  void wait_for(const Seat& seat, std::uint32_t turn) const {
    for (unsigned looks = 0; seat.turn.load(std::memory_order_acquire) != turn; ++looks) {
      if (looks >= patience_) {
        std::this_thread::yield();
      } else {
#if defined(__x86_64__)
        _mm_pause();
#endif
      }
    }
  }

  std::vector<Seat> seats_;  // the first one's value is the sum
  unsigned patience_ = 0;
};

}  // namespace bfslab::cpu
