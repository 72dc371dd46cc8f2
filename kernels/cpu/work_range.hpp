// SPDX-License-Identifier: Apache-2.0
// WorkRange: the numbered pieces of work of one thread, of which other threads may take some.
//
// The owner takes them from the front, in order; threads without work take them from the back. If
// all pieces are equally much work, a thread works on neighbouring pieces, and in each level on the
// same part of the arrays, which is then in its cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bfslab::cpu {

class alignas(64) WorkRange {
 public:
  // Called by the owner, when the range before is used up.
  void reset(std::uint32_t first, std::uint32_t last) {
    range_.store(std::uint64_t{last} << 32 | first, std::memory_order_relaxed);
  }
  // Each takes a piece that no other call gets; false if none is left. The last piece cannot be
  // taken from the back: its owner is working on the one before.
  bool take_front(std::uint32_t& piece) { return take<true>(piece); }
  bool take_back(std::uint32_t& piece) { return take<false>(piece); }

 private:
  // Relaxed, since the data of the pieces were written before a barrier of all threads.
  template <bool Front>
  bool take(std::uint32_t& piece) {
    std::uint64_t seen = range_.load(std::memory_order_relaxed);
    for (;;) {
      const auto first = static_cast<std::uint32_t>(seen);
      const auto last = static_cast<std::uint32_t>(seen >> 32);
      if (Front ? first >= last : first + 1 >= last) return false;
      const std::uint64_t left =
          Front ? seen + 1 : std::uint64_t{last - 1} << 32 | first;  // first + 1 <= last
      if (range_.compare_exchange_weak(seen, left, std::memory_order_relaxed)) {
        piece = Front ? first : last - 1;
        return true;
      }
    }
  }

  std::atomic<std::uint64_t> range_{0};  // last << 32 | first
};

// Calls work(owner, piece) for the pieces of `thread` until none is left, and then for pieces of
// other threads. All threads call it at once, or one thread `alone` does all pieces.
template <typename Work>
void work_off(std::vector<WorkRange>& ranges, std::size_t thread, bool alone, Work&& work) {
  std::uint32_t piece = 0;
  while (ranges[thread].take_front(piece)) work(thread, piece);
  if (alone) {
    for (std::size_t other = 0; other < ranges.size(); ++other) {
      while (ranges[other].take_front(piece)) work(other, piece);
    }
    return;
  }
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const std::size_t other = (thread + i) % ranges.size();
    while (ranges[other].take_back(piece)) work(other, piece);
  }
}

}  // namespace bfslab::cpu
