// SPDX-License-Identifier: Apache-2.0
// The state of CPU engines: the answer per vertex, which threads claim, and the counts of a level.
#pragma once

#include <atomic>
#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {

// The arrays of an answer as a traversal writes them. The level is the visited mark if levels are
// kept, otherwise the parent is: one random word per visit if the answer is a single array, two if
// it is both. Every access is a relaxed atomic, since threads read words that others are claiming.
// The barrier between levels makes the writes of one visible to the next.
template <Answer A>
class VertexState {
 public:
  VertexState(level_t* levels, vertex_t* parents) : levels_(levels), parents_(parents) {}

  [[nodiscard]] bool unvisited(vertex_t v) const {
    if constexpr (A == Answer::parents) {
      return word(parents_, v).load(std::memory_order_relaxed) == kNoVertex;
    } else {
      return level(v) == kUnreached;
    }
  }

  [[nodiscard]] level_t level(vertex_t v) const {
    static_assert(A != Answer::parents);
    return word(levels_, v).load(std::memory_order_relaxed);
  }

  // Returns true to exactly one of all callers that name an unvisited v. The check before the
  // compare-and-swap saves the locked instruction for the many that were visited long ago.
  [[nodiscard]] bool claim(vertex_t v, vertex_t parent, level_t level) const {
    if (!unvisited(v)) return false;
    if constexpr (A == Answer::parents) {
      vertex_t expected = kNoVertex;
      return word(parents_, v).compare_exchange_strong(expected, parent, std::memory_order_relaxed);
    } else {
      level_t expected = kUnreached;
      if (!word(levels_, v).compare_exchange_strong(expected, level, std::memory_order_relaxed)) {
        return false;
      }
      if constexpr (A == Answer::both) {
        word(parents_, v).store(parent, std::memory_order_relaxed);
      }
      return true;
    }
  }

  // Sets without a claim: for a v that the caller owns, or if any of several writers is valid.
  void set(vertex_t v, vertex_t parent, level_t level) const {
    if constexpr (A != Answer::levels) word(parents_, v).store(parent, std::memory_order_relaxed);
    if constexpr (A != Answer::parents) word(levels_, v).store(level, std::memory_order_relaxed);
  }
  // Fetches the words that set() will write. Always inlined, since GCC deletes calls of a function
  // that only prefetches.
  [[gnu::always_inline]] void prefetch(vertex_t v) const {
    if constexpr (A != Answer::parents) __builtin_prefetch(levels_ + v, 1);
    if constexpr (A != Answer::levels) __builtin_prefetch(parents_ + v, 1);
  }

 private:
  static std::atomic_ref<std::uint32_t> word(std::uint32_t* words, vertex_t v) {
    return std::atomic_ref<std::uint32_t>(words[v]);
  }

  level_t* levels_;
  vertex_t* parents_;
};

// Counts of one level, of one thread or summed over a team.
struct LevelTally {
  std::uint64_t found = 0;
  std::uint64_t found_edges = 0;  // out-degrees of the found vertices
  std::uint64_t checked = 0;      // adjacency entries read; counted only for a counting sink
  LevelTally& operator+=(const LevelTally& other) {
    found += other.found;
    found_edges += other.found_edges;
    checked += other.checked;
    return *this;
  }
  LevelTally& operator-=(const LevelTally& other) {
    found -= other.found;
    found_edges -= other.found_edges;
    checked -= other.checked;
    return *this;
  }
};

// Calls f.operator()<answer, counts>(): the choice is made once per traversal, never in a loop.
// dispatch_with_levels() is for traversals that keep levels, whatever the answer is.
template <typename F>
void dispatch_with_levels(Answer kept, const LevelSink* sink, F&& f) {
  const bool counts = sink != nullptr && sink->counts();
  if (kept == Answer::levels) {
    return counts ? f.template operator()<Answer::levels, true>()
                  : f.template operator()<Answer::levels, false>();
  }
  counts ? f.template operator()<Answer::both, true>()
         : f.template operator()<Answer::both, false>();
}
template <typename F>
void dispatch(Answer answer, const LevelSink* sink, F&& f) {
  if (answer != Answer::parents) return dispatch_with_levels(answer, sink, f);
  const bool counts = sink != nullptr && sink->counts();
  counts ? f.template operator()<Answer::parents, true>()
         : f.template operator()<Answer::parents, false>();
}

}  // namespace bfslab::cpu
