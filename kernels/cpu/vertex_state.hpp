// SPDX-License-Identifier: Apache-2.0
// What the CPU engines keep per vertex, and how threads agree on which of them found a vertex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {

// The arrays of an answer as a traversal writes them. The level is the visited mark if levels are
// kept, otherwise the parent is: one random word per visit if the answer is a single array, two if
// it is both. Every access is a relaxed atomic, since threads read words that others are claiming;
// what a level wrote is seen by the next through the barrier between them.
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

  // True for exactly one of all callers that name an unvisited v. The check before the
  // compare-and-swap saves the locked instruction on the many that were visited long ago.
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

  // Without a claim: for a v that the caller owns, or if any of several writers will do.
  void set(vertex_t v, vertex_t parent, level_t level) const {
    if constexpr (A != Answer::levels) word(parents_, v).store(parent, std::memory_order_relaxed);
    if constexpr (A != Answer::parents) word(levels_, v).store(level, std::memory_order_relaxed);
  }

 private:
  static std::atomic_ref<std::uint32_t> word(std::uint32_t* words, vertex_t v) {
    return std::atomic_ref<std::uint32_t>(words[v]);
  }

  level_t* levels_;
  vertex_t* parents_;
};

// Calls f.operator()<answer, counts>(): the choice is made once per traversal, never in a loop.
template <typename F>
void dispatch(Answer answer, const LevelSink* sink, F&& f) {
  const bool counts = sink != nullptr && sink->counts();
  switch (answer) {
    case Answer::levels:
      return counts ? f.template operator()<Answer::levels, true>()
                    : f.template operator()<Answer::levels, false>();
    case Answer::parents:
      return counts ? f.template operator()<Answer::parents, true>()
                    : f.template operator()<Answer::parents, false>();
    case Answer::both:
      return counts ? f.template operator()<Answer::both, true>()
                    : f.template operator()<Answer::both, false>();
  }
}

}  // namespace bfslab::cpu
