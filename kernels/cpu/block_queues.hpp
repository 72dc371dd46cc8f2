// SPDX-License-Identifier: Apache-2.0
// BlockQueues: a frontier as blocks of ids, each in the queue of the thread that filled it.
//
// Every thread fills its own blocks and visits these first (kernels/cpu/work_range.hpp). Nothing is
// merged or copied between levels, and a thread mostly expands the vertices that it found. The
// blocks lie in one arena, from which each thread takes several at a time, since all threads share
// its counter. The arena has room for n ids and the unused ends of each thread's last blocks, or
// for twice that if threads may find the same vertex (kernels/cpu/finders.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/cpu/work_range.hpp"

namespace bfslab::cpu {

class BlockQueues {
 public:
  // A block is complete from `kComplete` ids on; the rest is room for one more short row.
  static constexpr std::size_t kComplete = 56;
  static constexpr std::size_t kRoom = 63;
  static constexpr std::size_t kAtOnce = 8;

  BlockQueues() = default;
  // Makes room for `vertices` ids in all queues together. `repeats`: several threads may find the
  // same id until the queues are crowded, which each thread checks at its next block.
  BlockQueues(std::size_t vertices, int threads, bool repeats = false)
      : ids_(blocks(vertices, threads, repeats) * kBlock),
        lists_(static_cast<std::size_t>(threads) * list_length(vertices)),
        list_(list_length(vertices)),
        crowd_(blocks(vertices, threads, false) - kAtOnce),
        queues_(static_cast<std::size_t>(threads)),
        ranges_(static_cast<std::size_t>(threads)) {}

  // Before a level writes into these queues, one thread frees the arena while no other adds blocks,
  // and each thread clears its queue, which may be read until then.
  void free_arena() { taken_.store(0, std::memory_order_relaxed); }
  void clear(std::size_t thread) { queues_[thread] = {}; }

  // Returns room for kRoom ids that `thread` is to fill; its block before is complete.
  vertex_t* add_block(std::size_t thread) {
    Queue& queue = queues_[thread];
    if (queue.blocks % kAtOnce == 0) {
      queue.next = taken_.fetch_add(kAtOnce, std::memory_order_relaxed);
    }
    const std::size_t block = queue.next++;
    lists_[thread * list_ + queue.blocks++] = static_cast<std::uint32_t>(block);
    return ids_.data() + block * kBlock + 1;
  }
  // Returns true if the taken blocks are about enough for all ids once.
  [[nodiscard]] bool crowded() const { return taken_.load(std::memory_order_relaxed) > crowd_; }
  static void set_size(vertex_t* ids, std::size_t size) { ids[-1] = static_cast<vertex_t>(size); }
  // Called after the last block of `thread` in this level.
  void close(std::size_t thread) { ranges_[thread].reset(0, queues_[thread].blocks); }

  // Calls visit(ids of a block, the thread that filled it) for the blocks of `thread`, then for
  // some of other threads. All threads call it at once, or one thread alone.
  template <typename Visit>
  void work_off(std::size_t thread, bool alone, Visit&& visit) {
    cpu::work_off(ranges_, thread, alone, [&](std::size_t owner, std::uint32_t piece) {
      visit(block(owner, piece), owner);
    });
  }

  // Calls visit(ids of a block, the thread that filled it) for all blocks, and takes none of them.
  template <typename Visit>
  void look_at_all(Visit&& visit) const {
    for (std::size_t owner = 0; owner < queues_.size(); ++owner) {
      for (std::uint32_t piece = 0; piece < queues_[owner].blocks; ++piece) {
        visit(block(owner, piece), owner);
      }
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    return ids_.bytes() + lists_.bytes() + queues_.size() * (sizeof(Queue) + sizeof(WorkRange));
  }
  static constexpr std::size_t bytes_for(std::size_t vertices, int threads, bool repeats = false) {
    return blocks(vertices, threads, repeats) * kBlock * sizeof(vertex_t) +
           static_cast<std::size_t>(threads) *
               (list_length(vertices) * sizeof(std::uint32_t) + sizeof(Queue) + sizeof(WorkRange));
  }

 private:
  static constexpr std::size_t kBlock = kRoom + 1;  // its size, then its ids
  struct alignas(64) Queue {
    std::uint32_t blocks = 0;
    std::size_t next = 0;  // of the arena
  };
  // No thread finds an id twice.
  static constexpr std::size_t list_length(std::size_t vertices) {
    return vertices / kComplete + 1;
  }
  // With repeats there is room for blocks until the queues are crowded, and then for all ids again.
  static constexpr std::size_t blocks(std::size_t vertices, int threads, bool repeats) {
    return (repeats ? 2 : 1) * (vertices / kComplete + static_cast<std::size_t>(threads) * kAtOnce);
  }
  [[nodiscard]] std::span<const vertex_t> block(std::size_t owner, std::uint32_t piece) const {
    const vertex_t* block = ids_.data() + std::size_t{lists_[owner * list_ + piece]} * kBlock;
    return {block + 1, block[0]};
  }

  Buffer<vertex_t> ids_;         // [blocks][kBlock]
  Buffer<std::uint32_t> lists_;  // [threads][list_] the blocks of each queue
  std::size_t list_ = 0;
  std::size_t crowd_ = 0;
  std::vector<Queue> queues_;
  std::vector<WorkRange> ranges_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace bfslab::cpu
