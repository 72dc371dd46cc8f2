// SPDX-License-Identifier: Apache-2.0
// LocalQueues: the finds of each thread in a level, in private queues that share one arena.
//
// The paper gives every thread an array of N ids (cs406, local_queues[tid]). All threads together
// find at most n vertices. The arena therefore has space for n ids and one half-empty block per
// thread. A thread's queue is a chain of blocks taken from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cpu {

class LocalQueues {
 public:
  static constexpr std::size_t kBlock = 1024;  // ids: one page

  LocalQueues() = default;
  // Makes room for `vertices` ids in all queues together.
  LocalQueues(std::size_t vertices, int threads)
      : ids_(blocks(vertices, threads) * kBlock), previous_(blocks(vertices, threads)) {}

  // One thread's queue within one level.
  class Queue {
   public:
    explicit Queue(LocalQueues& owner) : owner_(owner) {}

    void push(vertex_t v) {
      if (fill_ == kBlock) take_block();
      block_ids_[fill_++] = v;
    }

    [[nodiscard]] std::size_t size() const {
      return blocks_ == 0 ? 0 : (blocks_ - 1) * kBlock + fill_;
    }

    // Writes size() ids, the block taken last first.
    void copy_to(vertex_t* out) const {
      std::size_t count = fill_;
      for (std::size_t left = blocks_, block = block_; left > 0; --left) {
        out = std::copy_n(owner_.ids_.data() + block * kBlock, count, out);
        block = owner_.previous_[block];
        count = kBlock;
      }
    }

   private:
    void take_block() {
      const std::size_t taken = owner_.taken_.fetch_add(1, std::memory_order_relaxed);
      owner_.previous_[taken] = static_cast<std::uint32_t>(block_);
      block_ = taken;
      block_ids_ = owner_.ids_.data() + taken * kBlock;
      fill_ = 0;
      ++blocks_;
    }

    LocalQueues& owner_;
    vertex_t* block_ids_ = nullptr;
    std::size_t fill_ = kBlock;  // of the current block; initially as if a block were full
    std::size_t block_ = 0;
    std::size_t blocks_ = 0;
  };

  // Empties all queues. Called by one thread, between levels.
  void clear() { taken_.store(0, std::memory_order_relaxed); }

  [[nodiscard]] std::size_t bytes() const { return ids_.bytes() + previous_.bytes(); }
  static constexpr std::size_t bytes_for(std::size_t vertices, int threads) {
    return blocks(vertices, threads) * (kBlock * sizeof(vertex_t) + sizeof(std::uint32_t));
  }

 private:
  static constexpr std::size_t blocks(std::size_t vertices, int threads) {
    return vertices / kBlock + static_cast<std::size_t>(threads);
  }

  Buffer<vertex_t> ids_;            // [blocks * kBlock]
  Buffer<std::uint32_t> previous_;  // [blocks] the block that its thread filled before
  std::atomic<std::size_t> taken_{0};
};

}  // namespace bfslab::cpu
