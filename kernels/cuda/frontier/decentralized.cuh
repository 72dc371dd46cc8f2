// SPDX-License-Identifier: Apache-2.0
// The decentralized frontier queue (DFQ, section IV): each CTA has a queue of its own, of
// fixed capacity, which it fills by scanning statuses and drains by visiting, as often as it must.
// The frontier is streamed: it is never there as a whole.
//
// Overflow-free enqueue (IV.B, equation 1): places are reserved before anything is written, and a
// reservation beyond the capacity makes the CTA drain first. Asynchronous drain (IV.C): only the
// CTA's own warps wait for each other; other CTAs go on scanning, since what a drain writes are
// levels of the next frontier.
//
// Where Figure 4 of the paper cannot be meant as printed (docs/errata.md#dfq-figure-4):
//   * its barriers stand under a condition that lanes decide for themselves: here the whole block
//     takes a tile of statuses, and every decision that leads to a barrier is the block's;
//   * it enqueues at the queue's size, not at what its atomic returned, and reserves nothing, so
//     that up to 31 x 32 entries may overflow: here the place is the reserved one, for as many
//     entries as there are; those beyond the capacity wait for a drain and then move up by it, so
//     that all drains but a level's last are of a full queue;
//   * it does not reset the queue after the last drain.
//
// Cost: the scan, 4 bytes into and out of the queue and a share of an atomic for each frontier
// vertex, two barriers of the block a tile that holds some (one where it holds none) and two a
// drain; capacity x CTAs entries of memory, whatever the graph's size. Wins where memory is short,
// or where a central counter is contended; loses where one CTA's tiles hold most of a frontier.
#pragma once

#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/item_scan.cuh"

namespace bfslab::cuda {

// One CTA's, the same in all its threads. Everything here is called by all threads of the block.
class SubQueue {
 public:
  // `entries`: [capacity] in shared or global memory. `size`: in shared memory, with a barrier
  // since it was last used.
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

  // Enters the tile's items, and takes them out of its mask. False: some did not fit, and the queue
  // must be drained before the same tile is tried again.
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

  // Before a drain: entries can be read.
  __device__ void settle() const { __syncthreads(); }
  // After it: entries can be written. What still waits for room moves up by what was drained.
  __device__ void clear() {
    reserved_ -= filled();
    place_ -= capacity_;
    __syncthreads();
    if (threadIdx.x == 0) *size_ = reserved_;
  }

 private:
  // Where this thread's entries go: places of their own, beyond the capacity too.
  __device__ std::uint32_t reserve(std::uint32_t mine) {
    if (one_atomic_a_thread_) return mine == 0 ? 0 : add_of_lane(size_, mine);
    return places_of_warp(size_, mine);
  }

  std::uint32_t* entries_;
  std::uint32_t* size_;
  std::uint32_t capacity_;
  std::uint32_t reserved_ = 0;  // places given away since the last drain, as many in all threads
  std::uint32_t place_ = 0;     // this thread's next, where its tile has not all gone in
  bool waiting_ = false;        // some of the tile is beyond the capacity
  bool one_atomic_a_thread_;
};

// One level over a streamed frontier: each block drains what it scans by `drain(entries, count)`,
// which all of its threads call. Returns how many items the block's share of the frontier had, to
// all threads of the block alike. `shared`: [capacity] where the queues lie in shared memory.
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
