// SPDX-License-Identifier: Apache-2.0
// The decentralized frontier queue (DFQ, section IV). Each CTA has a private queue of fixed
// capacity. It fills the queue by scanning statuses and drains it by visiting, as often as
// necessary. The frontier is streamed: it never exists as a whole.
//
// Overflow-free enqueue (IV.B, equation 1): places are reserved before anything is written. If a
// reservation exceeds the capacity, the CTA drains first. Asynchronous drain (IV.C): only the CTA's
// own warps wait for each other. Others keep scanning, since drains only write the next level.
//
// Figure 4 of the paper cannot work as printed (docs/errata.md#dfq-figure-4):
//   * Its barriers depend on a condition that each lane decides alone. Here the whole block takes
//     a tile of statuses, and every decision that leads to a barrier is the block's.
//   * It enqueues at the queue's size instead of its atomic's result and reserves nothing, so that
//     up to 31 x 32 entries may overflow. Here each entry has a reserved place. Entries beyond the
//     capacity wait for a drain and then move up by the drained number, so that every drain
//     except a level's last is of a full queue.
//   * It does not reset the queue after the last drain.
//
// Cost: the scan; per frontier vertex 4 bytes into and out of the queue and a share of an atomic;
// two barriers of the block per tile that holds frontier vertices (one per empty tile) and two per
// drain; capacity x CTAs entries of memory, whatever the graph's size. Wins where memory is short
// or a central counter is contended; loses where one CTA's tiles hold most of a frontier.
#pragma once

#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/item_scan.cuh"

namespace bfslab::cuda {

// The queue of one CTA, the same in all its threads. All threads of the block call every function.
class SubQueue {
 public:
  // `entries`: [capacity] in shared or global memory. `size`: in shared memory, with a barrier
  // since its last use.
  __device__ SubQueue(std::uint32_t* entries, std::uint32_t capacity, std::uint32_t* size,
                      bool one_atomic_a_thread)
      : entries_(entries),
        size_(size),
        capacity_(capacity),
        one_atomic_a_thread_(one_atomic_a_thread) {
    if (threadIdx.x == 0) *size_ = 0;
  }

  [[nodiscard]] __device__ const std::uint32_t* entries() const { return entries_; }
  [[nodiscard]] __device__ std::uint32_t filled() const { return min(reserved_, capacity_); }

  // Enqueues the tile's items and removes them from its mask. Returns false if some did not fit;
  // the queue must then be drained before the same tile is tried again.
  __device__ bool enqueue(Tile& tile) {
    if (!waiting_) {
      if (__syncthreads_or(static_cast<int>(tile.mask)) == 0) return true;
      place_ = reserve(static_cast<std::uint32_t>(__popc(tile.mask)));
      __syncthreads();
      reserved_ = *size_;
    }
    stress_pause();
    while (tile.mask != 0 && place_ < capacity_) {
      entries_[place_++] = tile.take();
    }
    waiting_ = reserved_ > capacity_;
    return !waiting_;
  }

  // Called before a drain: entries can be read.
  __device__ void settle() const { __syncthreads(); }
  // Called after a drain: entries can be written. Waiting items move up by the drained number.
  __device__ void clear() {
    reserved_ -= filled();
    place_ -= capacity_;
    __syncthreads();
    if (threadIdx.x == 0) *size_ = reserved_;
  }

 private:
  // Reserves places for this thread's entries, possibly beyond the capacity.
  __device__ std::uint32_t reserve(std::uint32_t mine) {
    if (one_atomic_a_thread_) return mine == 0 ? 0 : add_of_lane(size_, mine);
    return places_of_warp(size_, mine);
  }

  std::uint32_t* entries_;
  std::uint32_t* size_;
  std::uint32_t capacity_;
  std::uint32_t reserved_ = 0;  // places reserved since the last drain, the same in all threads
  std::uint32_t place_ = 0;     // this thread's next place, if part of its tile is not yet enqueued
  bool waiting_ = false;        // some of the tile is beyond the capacity
  bool one_atomic_a_thread_;
};

// Runs one level over a streamed frontier: each block drains what it scans by `drain(entries,
// count)`, which all of its threads call. Returns the number of items in the block's share of the
// frontier, to all of its threads alike. `shared`: [capacity] if the queues lie in shared memory.
template <typename Drain>
__device__ std::uint32_t stream_level(const Items& items, const level_t* levels, level_t level,
                                      const SubQueuesView& queues, std::uint32_t* shared,
                                      std::uint32_t* size, bool one_atomic_a_thread,
                                      Drain&& drain) {
  std::uint32_t* const entries = queues.entries == nullptr
                                     ? shared
                                     : queues.entries + std::size_t{blockIdx.x} * queues.capacity;
  SubQueue queue(entries, queues.capacity, size, one_atomic_a_thread);
  std::uint32_t frontier = 0;
  ItemScan scan(items, levels, level);
  bool more = true;
  while (more) {
    Tile tile;
    more = scan.next(tile);
    for (bool fits = false; !fits;) {
      fits = !more || queue.enqueue(tile);
      if (fits && more) break;
      if (queue.filled() == 0) continue;
      queue.settle();
      drain(queue.entries(), queue.filled());
      frontier += queue.filled();
      queue.clear();
    }
  }
  return frontier;
}

}  // namespace bfslab::cuda
