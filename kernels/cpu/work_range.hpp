// SPDX-License-Identifier: Apache-2.0
// WorkRange: the pieces of work of one thread, numbered, of which others may take some.
//
// Its owner takes them from the front, in order, and whoever has nothing left of its own takes them
// from the back. So a thread works on what lies together, and level after level on the same part of
// the arrays, which are in its cache by then, as long as the pieces are equally much work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bfslab::cpu {

class alignas(64) WorkRange {
 public:
  // By the owner; the range before must have been used up.
  void reset(std::uint32_t first, std::uint32_t last) {
    range_.store(std::uint64_t{last} << 32 | first, std::memory_order_relaxed);
  }
  // Each takes a piece that nobody else gets; false if none is left. The last piece is not to be
  // had from the back: its owner is at the one before.
  bool take_front(std::uint32_t& piece) { return take<true>(piece); }
  bool take_back(std::uint32_t& piece) { return take<false>(piece); }

 private:
  // What a piece is made of was written before the barrier that all threads met at.
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

// work(owner, piece) for pieces of `thread` until none is left, and then for some of the others'.
// By all threads at once, or by one that is alone with them.
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
