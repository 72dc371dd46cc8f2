// SPDX-License-Identifier: Apache-2.0
// Expansion: one thread of hybrid expands rows top-down and fills its part of the next queue.
//
// Two steps wait for memory: the claim of a vertex, since a locked instruction waits for the stores
// before it, and the store of its answer, which misses the cache. They are done in separate
// batches: the answers of a block of finds are written one after another, so that their misses
// overlap; a claim fetches the lines that this needs. In short rows neither the end nor the next
// find can be predicted, so these rows are read without branches on their entries, four at a time:
// past the end the last entry is read again, which finds nothing. A level that threads share first
// gathers a block's unvisited neighbours and then claims them, since a claim takes the cache line
// from others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernels/bitmap.hpp"
#include "kernels/cpu/finders.hpp"
#include "kernels/cpu/hybrid_frontier.hpp"
#include "kernels/cpu/vertex_state.hpp"

namespace bfslab::cpu {

constexpr edge_t kShortRow = 8;  // entries of the longest row that is read without branches
constexpr edge_t kStep = 4;      // entries of such a row that are read without a branch on its end
static_assert(BlockQueues::kComplete - 1 + kShortRow <= BlockQueues::kRoom);
static_assert(kShortRow % kStep == 0);

// The place of a thread's next find. Loops over edges hold it by value, in registers.
struct Cursor {
  vertex_t* ids = nullptr;  // a block of the next queue
  std::size_t fill = BlockQueues::kRoom;
  [[nodiscard]] bool complete() const { return fill >= BlockQueues::kComplete; }
};

// The unvisited neighbours of the short rows of a block, some of them several times.
struct Candidates {
  std::array<vertex_t, BlockQueues::kRoom * kShortRow> vertex;
  std::array<vertex_t, BlockQueues::kRoom * kShortRow> parent;
};

// A vertex is claimed locked, by its bit of the visited set, or unlocked, by its finder's byte.
// Then several threads may find it, and the one that the byte names expands it (finders.hpp).
enum class Claims { locked, unlocked };

template <Answer A>
struct VertexStatus {
  word_t* visited;  // [n / 64]; with unlocked claims the expansion marks only hubs here
  FinderView finders;
  VertexState<A> answer;

  // Claims `v`, 1 or 0, without a branch, for a thread that runs the level alone.
  template <Claims C>
  [[gnu::always_inline]] std::size_t claim_alone(vertex_t v, std::size_t thread) const {
    if constexpr (C == Claims::unlocked) return finders.count(v, thread);
    word_t& word = visited[v / kWordBits];
    const word_t before = word;
    word = before | bit_of(v);
    return (before & bit_of(v)) == 0 ? 1 : 0;
  }
  // For a shared level: 1 if no thread has found `v` yet, else 0.
  template <Claims C>
  [[nodiscard, gnu::always_inline]] std::size_t is_open(vertex_t v) const {
    if constexpr (C == Claims::unlocked) return finders.is_open(v) ? 1 : 0;
    const std::atomic_ref word(visited[v / kWordBits]);
    return (word.load(std::memory_order_relaxed) & bit_of(v)) == 0 ? 1 : 0;
  }
};

template <Answer A, Claims C>
class Expansion {
 public:
  // Expands rows of frontier `level`, whose neighbours become frontier `level` + 1.
  Expansion(HybridFrontier& frontier, const VertexStatus<A>& status, level_t level,
            std::size_t thread)
      : slices_(frontier.slices()),
        next_(frontier.queue(level + 1)),
        offsets_(frontier.graph().row_offsets().data()),
        columns_(frontier.graph().columns().data()),
        status_(status),
        level_(level),
        thread_(thread) {
    next_.clear(thread);
  }

  // Claims the neighbours of `u` in the entries [first, last) of the columns.
  template <bool Shared>
  [[gnu::always_inline]] Cursor expand(vertex_t u, edge_t first, edge_t last, Cursor at) {
    const vertex_t* columns = columns_;
    word_t* visited = status_.visited;
    for (edge_t e = first; e < last; ++e) {
      const vertex_t v = columns[e];
      if (!claim_vertex<Shared>(visited, v)) continue;
      __builtin_prefetch(offsets_ + v);
      status_.answer.prefetch(v);
      at = add(at, v, u, 1);
    }
    return at;
  }
  // The same for a short row, on one thread.
  [[gnu::always_inline]] Cursor expand_short(vertex_t u, edge_t first, edge_t last, Cursor at) {
    const vertex_t* columns = columns_;
    const VertexStatus<A> status = status_;  // in registers
    const std::size_t thread = thread_;
    for (; first < last; first += kStep) {
      for (edge_t i = 0; i < kStep; ++i) {
        const vertex_t v = columns[std::min(first + i, last - 1)];
        status.answer.prefetch(v);
        __builtin_prefetch(offsets_ + v);
        at.ids[at.fill] = v;
        parent_[at.fill] = u;
        at.fill += status.template claim_alone<C>(v, thread);
      }
    }
    return at.complete() ? next_block(at) : at;
  }
  // The same for a short row in a shared level: first gather(), which returns the new `count` of
  // candidates, then claim().
  [[nodiscard, gnu::always_inline]] std::size_t gather(vertex_t u, edge_t first, edge_t last,
                                                       Candidates& candidates,
                                                       std::size_t count) const {
    const vertex_t* columns = columns_;
    const VertexStatus<A> status = status_;
    for (; first < last; first += kStep) {
      for (edge_t i = 0; i < kStep; ++i) {
        const vertex_t v = columns[std::min(first + i, last - 1)];
        candidates.vertex[count] = v;
        candidates.parent[count] = u;
        count += status.template is_open<C>(v) & std::size_t{first + i < last};
      }
    }
    return count;
  }
  [[gnu::always_inline]] Cursor claim(const Candidates& candidates, std::size_t count, Cursor at) {
    for (std::size_t i = 0; i < count; ++i) {
      const vertex_t v = candidates.vertex[i];
      status_.answer.prefetch(v);
      __builtin_prefetch(offsets_ + v);
      at = add(at, v, candidates.parent[i], claim_open(v));
    }
    return at;
  }

  // Returns the place of the next find. Called before the first and after each complete block.
  [[gnu::noinline]] Cursor next_block(Cursor at) {
    if (at.ids != nullptr) at = write_answers(at);
    if (!at.complete()) return at;  // since hubs were removed from the block
    if (at.ids != nullptr) BlockQueues::set_size(at.ids, at.fill);
    written_ = 0;
    vertex_t* ids = next_.add_block(thread_);
    if constexpr (C == Claims::unlocked) crowded_ = next_.crowded();
    return {ids, 0};
  }
  // Called after the last find.
  void close(Cursor at) {
    if (at.ids != nullptr) {
      at = write_answers(at);
      BlockQueues::set_size(at.ids, at.fill);
    }
    next_.close(thread_);
  }

  LevelTally tally;

 private:
  // Rows of the next queue are prefetched while a cache can hold them until the next level.
  static constexpr std::uint64_t kPrefetchedRows = 4096;

  template <bool Shared>
  [[gnu::always_inline]] bool claim_vertex(word_t* visited, vertex_t v) {
    if constexpr (C == Claims::unlocked) {
      return crowded_ ? status_.finders.claim_locked(v, thread_)
                      : status_.finders.claim(v, thread_);
    } else {
      return Shared ? claim_shared(visited, v) : bfslab::claim_alone(visited, v);
    }
  }
  // For a shared level: the claim, 1 or 0, of a vertex that was open a moment ago.
  [[gnu::always_inline]] std::size_t claim_open(vertex_t v) {
    if constexpr (C == Claims::unlocked) {
      return crowded_ ? status_.finders.claim_locked(v, thread_)
                      : status_.finders.count(v, thread_);
    }
    const std::atomic_ref word(status_.visited[v / kWordBits]);
    return (word.fetch_or(bit_of(v), std::memory_order_relaxed) & bit_of(v)) == 0 ? 1 : 0;
  }

  // Adds `v` if `finds` is 1, and nothing if it is 0.
  [[gnu::always_inline]] Cursor add(Cursor at, vertex_t v, vertex_t parent, std::size_t finds) {
    at.ids[at.fill] = v;
    parent_[at.fill] = parent;
    at.fill += finds;
    return at.complete() ? next_block(at) : at;
  }

  // Writes the answers of the finds since the last call, moves hubs from the block to the slices,
  // and prefetches the rows that the next level reads first.
  Cursor write_answers(Cursor at) {
    tally.found += at.fill - written_;
    const bool prefetch = tally.found < kPrefetchedRows;
    std::size_t kept = written_;
    for (std::size_t i = written_; i < at.fill; ++i) {
      const vertex_t v = at.ids[i];
      status_.answer.set(v, parent_[i], level_ + 1);
      const edge_t row = offsets_[v];
      const edge_t degree = offsets_[v + std::size_t{1}] - row;
      if (prefetch) __builtin_prefetch(columns_ + row);
      at.ids[kept] = v;
      if (degree < HubSlices::kHubDegree) {
        ++kept;
      } else if (C == Claims::locked || claim_shared(status_.visited, v)) {
        slices_.add(v, degree, level_ + 1);
      } else {
        --tally.found;
        continue;
      }
      tally.found_edges += degree;
    }
    written_ = kept;
    return {at.ids, kept};
  }

  HubSlices& slices_;
  BlockQueues& next_;
  const edge_t* offsets_;
  const vertex_t* columns_;
  VertexStatus<A> status_;
  level_t level_;
  std::size_t thread_;
  std::size_t written_ = 0;  // finds of the block whose answers are written
  bool crowded_ = false;     // from now on a vertex may be found by one thread only
  std::array<vertex_t, BlockQueues::kRoom> parent_;
};

}  // namespace bfslab::cpu
