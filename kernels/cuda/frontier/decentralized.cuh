// SPDX-License-Identifier: Apache-2.0
// The decentralized frontier queue (DFQ, section IV): each CTA has a queue of fixed capacity, which
// it fills by scanning statuses and drains by visiting, as often as it must. The frontier is
// streamed: it never exists as a whole.
//
// Overflow-free enqueue (IV.B, equation 1): places are reserved before anything is written, and a
// reservation beyond the capacity makes the CTA drain first. The number of places is a choice:
//
//   warp   A warp reserves 32 places before it reads 32 statuses, one per lane, and returns those
//          that it does not fill. A warp whose reservation exceeds the capacity stops and waits for
//          the drain; the others go on until theirs do, too.
//   cta    The CTA reserves a place per thread before each thread reads one status. With a capacity
//          of 1,024 and 1,024 threads, a queue with a single entry drains before the next status is
//          read, as section V.E says.
//   exact  Statuses are read first, sixteen per thread, and the CTA reserves exactly what they
//          need. Entries beyond the capacity wait for the drain. This is our improvement.
//
// For example, 1,024 threads with a capacity of 2,048 scan 4,096 statuses by block, and each second
// status is of the level. `exact` drains once, at the end of the level, with 2,048 entries. `cta`
// drains with 1,536 entries, since 1,536 + 1,024 > 2,048, and at the end with 512.
//
// Asynchronous drain (IV.C): only the CTA's own warps wait for each other. Other CTAs go on
// scanning, since a drain writes levels of the next frontier.
//
// Figure 4 of the paper cannot be meant as printed (docs/errata.md#dfq-figure-4):
//   * Its barriers stand under a condition that lanes decide for themselves. Here every decision
//     that leads to a barrier is the block's.
//   * It enqueues at the queue's size instead of the index that its atomic returned, and reserves
//     nothing, so that up to 31 x 32 entries may overflow.
//   * It does not reset the queue after the last drain.
//
// Cost: the scan, 4 bytes into and out of the queue and a share of an atomic for each frontier
// vertex, two barriers per drain; `exact` two barriers of the block per tile that holds some items
// (one if it holds none), `cta` the same per status of a thread, `warp` two atomics in shared
// memory per 32 statuses. Capacity x CTAs entries of memory, whatever the graph's size. Wins where
// memory is short, or where a central counter is contended; loses where one CTA's tiles hold most
// of a frontier.
#pragma once

#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/item_scan.cuh"

namespace bfslab::cuda {

// Counters of a CTA's queue, in shared memory.
struct SubQueueCounts {
  std::uint32_t size = 0;      // entries; with Reserve::exact also those beyond the capacity
  std::uint32_t reserved = 0;  // places of entries and of statuses that warps are about to read
};

// One CTA's queue and what fills it. All threads of the block hold the same state, except for their
// tiles, and call each function together. `Scan` is an ItemScan or has a next() like it.
template <typename Scan>
class SubQueue {
 public:
  // `entries`: [capacity] in shared or global memory. `counts`: in shared memory, with a barrier
  // since its last use. `scan` outlives the queue.
  __device__ SubQueue(std::uint32_t* entries, const SubQueuesView& queues, SubQueueCounts* counts,
                      bool one_atomic_a_vertex, Scan& scan)
      : entries_(entries),
        counts_(counts),
        scan_(scan),
        capacity_(queues.capacity),
        reserve_(queues.reserve),
        one_atomic_a_vertex_(one_atomic_a_vertex) {
    if (threadIdx.x == 0) *counts_ = {};
  }

  // Scans until the queue must be drained. Returns false if the scan has ended instead.
  __device__ bool fill() {
    switch (reserve_) {
      case Reserve::warp:
        return fill_by_warps();
      case Reserve::cta:
        return fill_by_cta();
      default:
        return fill_exactly();
    }
  }

  [[nodiscard]] __device__ const std::uint32_t* entries() const { return entries_; }
  // Entries to drain, after a fill().
  [[nodiscard]] __device__ std::uint32_t filled() const { return min(size_, capacity_); }
  // Atomic additions of this thread to the queue's size.
  [[nodiscard]] __device__ std::uint32_t atomics() const { return atomics_; }

  // Before a drain: makes the entries readable.
  __device__ void settle() const { __syncthreads(); }
  // After it: empties the queue. Entries beyond the capacity move up by it.
  __device__ void clear() {
    size_ -= filled();
    place_ -= capacity_;
    __syncthreads();
    if (threadIdx.x == 0) *counts_ = {size_, 0};
  }

 private:
  // One atomic for the lanes of the warp that have an entry, or one for each entry. Returns the
  // place of this lane's entry. Called by all lanes of the warp.
  __device__ std::uint32_t place_of_lane(bool has_item) {
    if (one_atomic_a_vertex_) {
      if (!has_item) return 0;
      ++atomics_;
      return add_of_lane(&counts_->size, 1);
    }
    return places(has_item ? 1 : 0);
  }

  __device__ std::uint32_t places(std::uint32_t own_count) {
    const std::uint32_t place = places_of_warp(&counts_->size, own_count);
    if (lane_id() == 31 && place + own_count != 0) ++atomics_;
    return place;
  }

  __device__ bool fill_exactly() {
    while (true) {
      if (!waits_ && !scan_.next(tile_)) return false;
      if (one_atomic_a_vertex_ ? !enqueue_each() : !enqueue_tile()) return true;
    }
  }

  // Enters the tile's items and takes them out of its mask. Returns false if some did not fit.
  __device__ bool enqueue_tile() {
    if (!waits_) {
      if (__syncthreads_or(static_cast<int>(tile_.mask)) == 0) return true;
      place_ = places(static_cast<std::uint32_t>(__popc(tile_.mask)));
      __syncthreads();
      size_ = counts_->size;
    }
    stress_pause();
    while (tile_.mask != 0 && place_ < capacity_) {
      entries_[place_++] = tile_.take();
    }
    waits_ = size_ > capacity_;
    return !waits_;
  }

  // The same by one atomic for each entry. An item that does not fit stays in the mask, and tries
  // again after the drain.
  __device__ bool enqueue_each() {
    if (__syncthreads_or(static_cast<int>(tile_.mask)) == 0) return true;
    while (tile_.mask != 0) {
      const std::uint32_t at = place_of_lane(true);
      stress_pause();
      if (at >= capacity_) break;
      entries_[at] = tile_.take();
    }
    waits_ = __syncthreads_or(static_cast<int>(tile_.mask)) != 0;
    size_ = min(counts_->size, capacity_);
    return !waits_;
  }

  __device__ bool fill_by_cta() {
    while (true) {
      if (step_ == kItemsEach) {
        if (!scan_.next(tile_)) return false;
        step_ = 0;
      }
      if (size_ + blockDim.x > capacity_) return true;
      const bool has_item = tile_.has(step_);
      if (__syncthreads_or(static_cast<int>(has_item)) != 0) {
        const std::uint32_t at = place_of_lane(has_item);
        stress_pause();
        if (has_item) entries_[at] = tile_.item(step_);
        __syncthreads();
        size_ = counts_->size;
      }
      ++step_;
    }
  }

  __device__ bool fill_by_warps() {
    __syncthreads();  // the counts are reset
    while (!ended_) {
      if (step_ == kItemsEach) {
        ended_ = !scan_.next(tile_);
        if (ended_) break;
        step_ = 0;
      }
      std::uint32_t before = 0;
      if (lane_id() == 0) before = atomicAdd(&counts_->reserved, 32U);
      if (__shfl_sync(kAllLanes, before, 0) + 32 > capacity_) break;
      const bool has_item = tile_.has(step_);
      const unsigned all = __ballot_sync(kAllLanes, has_item);
      const std::uint32_t at = place_of_lane(has_item);
      stress_pause();
      if (has_item) entries_[at] = tile_.item(step_);
      __syncwarp();
      if (lane_id() == 0) atomicSub(&counts_->reserved, 32 - static_cast<unsigned>(__popc(all)));
      ++step_;
    }
    const bool all_ended = __syncthreads_and(static_cast<int>(ended_)) != 0;
    size_ = counts_->size;
    return !all_ended;
  }

  std::uint32_t* entries_;
  SubQueueCounts* counts_;
  Scan& scan_;
  std::uint32_t capacity_;
  std::uint32_t size_ = 0;   // entries since the last drain, as of the last barrier
  std::uint32_t place_ = 0;  // exact: this thread's next place, if its tile has not all gone in
  std::uint32_t atomics_ = 0;
  unsigned step_ = kItemsEach;  // warp, cta: the next item of the tile
  Tile tile_;
  Reserve reserve_;
  bool waits_ = false;  // exact: some of the tile is beyond the capacity
  bool ended_ = false;  // warp: this warp has no more items
  bool one_atomic_a_vertex_;
};

// One CTA's share of a level, the same in all its threads.
struct StreamTally {
  std::uint32_t frontier = 0;  // items
  std::uint32_t drains = 0;
  CollectTally collected;
};

// Runs one level over a streamed frontier: each block drains what it scans by `drain(entries,
// count)`, which all of its threads call. `shared`: [capacity] if the queues lie in shared memory.
template <typename Drain>
__device__ StreamTally stream_level(const Items& items, const level_t* levels, level_t level,
                                    const SubQueuesView& queues, std::uint32_t* shared,
                                    SubQueueCounts* counts, bool one_atomic_a_vertex,
                                    Drain&& drain) {
  std::uint32_t* const entries = queues.entries == nullptr
                                     ? shared
                                     : queues.entries + std::size_t{blockIdx.x} * queues.capacity;
  ItemScan scan(items, levels, level);
  SubQueue queue(entries, queues, counts, one_atomic_a_vertex, scan);
  StreamTally tally;
  for (bool more = true; more;) {
    more = queue.fill();
    if (queue.filled() > 0) {
      queue.settle();
      drain(queue.entries(), queue.filled());
      tally.frontier += queue.filled();
      ++tally.drains;
    }
    queue.clear();
  }
  tally.collected = {queue.atomics(), scan.has_begun()};
  return tally;
}

}  // namespace bfslab::cuda
