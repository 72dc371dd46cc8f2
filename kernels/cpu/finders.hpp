// SPDX-License-Identifier: Apache-2.0
// Finders: a byte per vertex that names the thread that found it, for claims without a lock.
//
// Claiming a bit of a shared word takes a locked instruction, which waits for the cache line and
// for every store before it. A line holds the bits of 512 vertices: if a frontier's vertices lie
// close together, threads take it from each other all the time. A byte is claimed by a load and a
// store, without waiting. Two threads may find a vertex at the same time; the last store names its
// finder. After the next barrier only the copy in the finder's queue is expanded.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "kernels/bitmap.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bfslab::cpu {

// The bytes, for loops that hold them in registers.
struct FinderView {
  std::uint8_t* finder;

  // Returns true to the first caller and, rarely, to others that call it at the same time.
  [[gnu::always_inline]] bool claim(vertex_t v, std::size_t thread) const {
    const std::atomic_ref byte(finder[v]);
    if (byte.load(std::memory_order_relaxed) != 0) return false;
    byte.store(mark(thread), std::memory_order_relaxed);
    return true;
  }
  // Returns true to one of its callers. Concurrent callers of claim() may find the vertex, too.
  bool claim_locked(vertex_t v, std::size_t thread) const {
    const std::atomic_ref byte(finder[v]);
    std::uint8_t open = 0;
    return byte.load(std::memory_order_relaxed) == open &&
           byte.compare_exchange_strong(open, mark(thread), std::memory_order_relaxed);
  }
  // claim() without a branch: 1 or 0. It stores the finder of a found vertex again, so it is only
  // for vertices that no other thread claims, or that were unvisited a moment ago. It calculates
  // the byte, since compilers make a branch of a choice between two.
  [[gnu::always_inline]] std::size_t count(vertex_t v, std::size_t thread) const {
    const std::atomic_ref byte(finder[v]);
    const std::uint8_t before = byte.load(std::memory_order_relaxed);
    const unsigned open = before == 0 ? 1 : 0;
    byte.store(static_cast<std::uint8_t>(before | (mark(thread) & (0U - open))),
               std::memory_order_relaxed);
    return open;
  }
  [[nodiscard, gnu::always_inline]] bool is_open(vertex_t v) const {
    return std::atomic_ref(finder[v]).load(std::memory_order_relaxed) == 0;
  }
  // Returns whether `thread` is the finder of `v`, which some thread claimed.
  [[nodiscard, gnu::always_inline]] bool is(std::size_t thread, vertex_t v) const {
    return finder[v] == mark(thread);
  }
  static constexpr std::uint8_t mark(std::size_t thread) {
    return static_cast<std::uint8_t>(thread + 1);
  }
};

class Finders {
 public:
  static constexpr std::size_t kMaxThreads = 255;

  Finders() = default;
  // Makes finders for the vertices of `words` words of a bitmap. No vertex is found yet.
  explicit Finders(std::size_t words) : finder_(words * kWordBits) {
    for (std::size_t w = 0; w < words; ++w) set_word(w, 0);
  }

  [[nodiscard]] std::size_t bytes() const { return finder_.bytes(); }

  [[nodiscard]] FinderView view() { return {finder_.data()}; }

  // Returns the vertices of word `w` of a bitmap that were found.
  [[nodiscard]] word_t found(std::size_t w) const {
    const std::uint8_t* from = finder_.data() + w * kWordBits;
    word_t found = 0;
#if defined(__SSE2__)
    for (unsigned i = 0; i < 4; ++i) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
      const auto none =
          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_setzero_si128())));
      found |= word_t{~none & 0xffffU} << (16 * i);
    }
#else
    for (vertex_t bit = 0; bit < kWordBits; ++bit) found |= word_t{from[bit] != 0} << bit;
#endif
    return found;
  }
  // Makes the vertices of word `w` unfound, except those of `found`, which thread 0 gets.
  void set_word(std::size_t w, word_t found) {
    std::uint8_t* to = finder_.data() + w * kWordBits;
    if (found == 0) {
      std::fill_n(to, kWordBits, std::uint8_t{0});
      return;
    }
    for (vertex_t bit = 0; bit < kWordBits; ++bit) {
      to[bit] = ((found >> bit) & 1) != 0 ? FinderView::mark(0) : std::uint8_t{0};
    }
  }

 private:
  Buffer<std::uint8_t> finder_;  // [words * 64] 0: not found; else 1 + the thread
};

}  // namespace bfslab::cpu
