// SPDX-License-Identifier: Apache-2.0
// HybridFrontier: the frontiers of hybrid, as a queue with slices of hubs or as a bitmap.
//
// A level reads the frontier of its own number and fills that of the next one. The queue of a
// frontier (block_queues.hpp) holds its vertices without the hubs, whose rows are listed in slices.
// Frontiers of the same parity share their memory.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/block_queues.hpp"
#include "kernels/cpu/finders.hpp"
#include "kernels/cpu/vertex_state.hpp"

namespace bfslab::cpu {

// The long rows of a frontier, cut into slices that the threads of a team share.
class HubSlices {
  struct Slice {
    vertex_t hub = 0;
    std::uint32_t number = 0;  // its entries begin at number * kSlice of the row
  };
  // All threads append to a list in one level, and share it in the next.
  struct alignas(64) Counts {
    std::atomic<std::uint64_t> filled{0};
    std::atomic<std::uint64_t> taken{0};
    void clear() {
      filled.store(0, std::memory_order_relaxed);
      taken.store(0, std::memory_order_relaxed);
    }
  };

 public:
  static constexpr edge_t kHubDegree = 4096;  // out-edges of the smallest hub
  static constexpr edge_t kSlice = 2048;      // entries of a slice, the last of a row aside

  // Slices of a row with `degree` entries; 0 if its vertex is no hub.
  static constexpr std::uint64_t slices_of(edge_t degree) {
    return degree < kHubDegree ? 0 : (degree + kSlice - 1) / kSlice;
  }

  // Makes room for the slices of all hubs of the graph.
  void reserve(std::uint64_t slices) {
    for (Buffer<Slice>& list : lists_) list = Buffer<Slice>(slices);
  }
  // Empties the list of frontier `level`, or all. Called by one thread, while no other uses them.
  void clear(level_t level) { counts(level).clear(); }
  void clear() {
    for (Counts& counts : counts_) counts.clear();
  }

  // Adds a hub of frontier `level`. Called by any thread.
  void add(vertex_t hub, edge_t degree, level_t level) {
    const std::uint64_t count = slices_of(degree);
    const std::uint64_t at = counts(level).filled.fetch_add(count, std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < count; ++i) {
      list(level)[at + i] = {hub, static_cast<std::uint32_t>(i)};
    }
  }

  // Calls visit(hub, first, last) for slices of frontier `level`, entries [first, last) of the
  // graph's columns, until no slice is left. Called by all threads; each slice is visited once.
  template <typename Visit>
  void work_off(level_t level, const CsrGraph& graph, Visit&& visit) {
    const edge_t* offsets = graph.row_offsets().data();
    Counts& here = counts(level);
    const std::uint64_t filled = here.filled.load(std::memory_order_relaxed);
    while (here.taken.load(std::memory_order_relaxed) < filled) {
      const std::uint64_t i = here.taken.fetch_add(1, std::memory_order_relaxed);
      if (i >= filled) break;
      const auto [hub, number] = list(level)[i];
      const edge_t first = offsets[hub] + number * kSlice;
      visit(hub, first, std::min(first + kSlice, offsets[hub + std::size_t{1}]));
    }
  }

  [[nodiscard]] std::uint64_t bytes() const { return lists_[0].bytes() + lists_[1].bytes(); }
  // Returns an upper bound for a graph of `edges`, as if each row were a smallest hub's.
  static double bytes_for(double edges) { return 2 * 1.5 * edges / kSlice * sizeof(Slice); }

 private:
  Buffer<Slice>& list(level_t level) { return lists_[level % 2]; }
  // Each list is used in two levels, and empty in the third.
  Counts& counts(level_t level) { return counts_[level % 3]; }

  std::array<Buffer<Slice>, 2> lists_;
  std::array<Counts, 3> counts_;
};

class HybridFrontier {
 public:
  // Allocates for a graph, which must outlive this. `repeats`: several threads may enqueue the same
  // vertex until a queue is crowded.
  void reserve(const CsrGraph& graph, int threads, bool repeats) {
    graph_ = &graph;
    threads_ = static_cast<std::size_t>(threads);
    const vertex_t n = graph.vertex_count();
    std::uint64_t slices = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : slices)
    for (vertex_t v = 0; v < n; ++v) slices += HubSlices::slices_of(graph.degree(v));
    for (auto& queue : queues_) queue = std::make_unique<BlockQueues>(n, threads, repeats);
    for (Buffer<word_t>& bits : bits_) bits = Buffer<word_t>(word_count(n));
    slices_.reserve(slices);
  }

  [[nodiscard]] const CsrGraph& graph() const { return *graph_; }
  BlockQueues& queue(level_t level) { return *queues_[level % 2]; }
  HubSlices& slices() { return slices_; }
  word_t* bits(level_t level) { return bits_[level % 2].data(); }

  // Makes the source alone the queue of level 0.
  void start(vertex_t source) {
    clear_queues();
    for (auto& queue : queues_) {
      for (std::size_t t = 0; t < threads_; ++t) close_empty(*queue, t);
    }
    const std::size_t word = source / kWordBits;
    bits(0)[word] = bit_of(source);
    bitmap_to_queue(0, 0, word, word + 1);
  }
  // Frees the memory of all queues, or of that of frontier `level`, which is filled later. Called
  // by one thread, while no other adds to them.
  void clear_queues() {
    for (auto& queue : queues_) queue->free_arena();
    slices_.clear();
  }
  void clear_queue(level_t level) {
    queue(level).free_arena();
    slices_.clear(level);
  }
  // Returns the ids of the queue of frontier `level` that are copies, which their finders do not
  // name, and their edges.
  LevelTally repeats(level_t level, FinderView finders) {
    LevelTally tally;
    queue(level).look_at_all([&](std::span<const vertex_t> block, std::size_t owner) {
      for (const vertex_t v : block) {
        if (finders.is(owner, v)) continue;
        ++tally.found;
        tally.found_edges += graph_->degree(v);
      }
    });
    return tally;
  }
  // Leaves the queues of all threads but the first empty, for a level that one thread runs.
  void leave_to_first(level_t level) {
    for (std::size_t t = 1; t < threads_; ++t) close_empty(queue(level), t);
  }

  // Sets the queue of frontier `level` as bits in its zero bitmap. Called by all threads.
  void queue_to_bitmap(level_t level, std::size_t thread) {
    word_t* frontier = bits(level);
    queue(level).work_off(thread, false, [&](std::span<const vertex_t> block, std::size_t) {
      for (const vertex_t v : block) set_shared(frontier, v);
    });
    slices_.work_off(level, *graph_,
                     [&](vertex_t hub, edge_t, edge_t) { set_shared(frontier, hub); });
  }

  // Enqueues the vertices in words [first, last) of the bitmap of frontier `level`, and returns
  // their out-edges. Called by all threads, each with its own words.
  std::uint64_t bitmap_to_queue(level_t level, std::size_t thread, std::size_t first,
                                std::size_t last) {
    const word_t* frontier = bits(level);
    BlockQueues& to = queue(level);
    to.clear(thread);
    vertex_t* ids = nullptr;
    std::size_t fill = BlockQueues::kComplete;
    std::uint64_t edges = 0;
    for (std::size_t w = first; w < last; ++w) {
      for_each_bit(frontier[w], [&](vertex_t bit) {
        const auto v = static_cast<vertex_t>(w * kWordBits + bit);
        const edge_t degree = graph_->degree(v);
        edges += degree;
        if (degree >= HubSlices::kHubDegree) return slices_.add(v, degree, level);
        if (fill == BlockQueues::kComplete) {
          if (ids != nullptr) BlockQueues::set_size(ids, fill);
          ids = to.add_block(thread);
          fill = 0;
        }
        ids[fill++] = v;
      });
    }
    if (ids != nullptr) BlockQueues::set_size(ids, fill);
    to.close(thread);
    return edges;
  }

  [[nodiscard]] std::uint64_t bytes() const {
    return queues_[0]->bytes() + queues_[1]->bytes() + slices_.bytes() + bits_[0].bytes() +
           bits_[1].bytes();
  }
  // Returns an upper bound of the same, before the graph is loaded.
  static double bytes_for(std::uint64_t vertices, double edges, int threads, bool repeats) {
    return 2 * static_cast<double>(BlockQueues::bytes_for(vertices, threads, repeats)) +
           HubSlices::bytes_for(edges) + 2 * static_cast<double>(vertices) / 8;
  }

 private:
  static void close_empty(BlockQueues& queue, std::size_t thread) {
    queue.clear(thread);
    queue.close(thread);
  }

  const CsrGraph* graph_ = nullptr;
  std::size_t threads_ = 0;
  std::array<std::unique_ptr<BlockQueues>, 2> queues_;
  HubSlices slices_;
  std::array<Buffer<word_t>, 2> bits_;
};

}  // namespace bfslab::cpu
