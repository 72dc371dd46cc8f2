// The decentralized frontier queue (papers/dfq.txt section IV): each CTA has a queue of its own, of
// fixed capacity, which it fills by scanning statuses and drains by visiting, as often as it must.
// The frontier is streamed: it is never there as a whole.
//
// Overflow-free enqueue (IV.B, equation 1): places are reserved before anything is written, and a
// reservation beyond the capacity makes the CTA drain first. Asynchronous drain (IV.C): only the
// CTA's own warps wait for each other; other CTAs go on scanning, since what a drain writes are
// levels of the next frontier.
//
// Where Figure 4 of the paper cannot be meant as printed (errata):
//   * its barriers stand under a condition that lanes decide for themselves: here a tile of
//   statuses
//     is taken by the whole block, and every decision that leads to a barrier is the block's;
//   * it enqueues at the queue's size, not at what its atomic returned, and reserves nothing, so
//     that up to 31 x 32 entries may overflow: here the place is the reserved one, for as many
//     entries as there are, and a tile that does not fit is taken in steps of one status a thread,
//     which an empty queue of at least a CTA's threads always holds (the stride of section V.E);
//   * it does not reset the queue after the last drain.
//
// Cost: the scan, 4 bytes into and out of the queue and a share of an atomic for each frontier
// vertex, two barriers of the block a tile that holds some and three a drain; capacity x CTAs
// entries of memory, whatever the graph's size. Wins where memory is short, or where a central
// counter is contended; loses where one CTA's tiles hold most of a frontier.
#pragma once

#include "kernels/cuda/frontier/item_scan.cuh"

namespace bfslab::cuda {

// One CTA's, the same in all its threads. Everything here is called by all threads of the block.
class SubQueue {
 public:
  // `entries`: [capacity] in shared or global memory, at least blockDim.x of them. `size`: shared.
  __device__ SubQueue(std::uint32_t* entries, std::uint32_t capacity, std::uint32_t* size,
                      bool one_atomic_a_thread)
      : entries_(entries),
        size_(size),
        capacity_(capacity),
        one_atomic_a_thread_(one_atomic_a_thread) {
    clear();
  }

  [[nodiscard]] __device__ const std::uint32_t* entries() const { return entries_; }
  [[nodiscard]] __device__ std::uint32_t filled() const { return filled_; }

  // Enters the tile's items, and takes them out of its mask. False: some did not fit, and the queue
  // must be drained before the tile is tried again.
  __device__ bool enqueue(Tile& tile) {
    if (__syncthreads_or(static_cast<int>(tile.mask)) == 0) return true;
    const std::uint32_t at = reserve(tile.mask);
    __syncthreads();
    const std::uint32_t wanted = *size_;
    if (wanted <= capacity_) {
      write(at, tile.first, tile.mask);
      tile.mask = 0;
      filled_ = wanted;
      return true;
    }
    set_size(filled_);  // nothing was written: the reservation is given back
    for (unsigned j = 0; j < kItemsEach; ++j) {
      if (filled_ + blockDim.x > capacity_) return false;
      const unsigned step = tile.mask & 1U << j;
      write(reserve(step), tile.first, step);
      tile.mask &= ~step;
      __syncthreads();
      filled_ = *size_;
      __syncthreads();
    }
    return true;
  }

  // Before and after a drain: entries can be read, entries can be written again.
  __device__ void settle() const { __syncthreads(); }
  __device__ void clear() {
    filled_ = 0;
    set_size(0);
  }

 private:
  __device__ void set_size(std::uint32_t value) {
    __syncthreads();
    if (threadIdx.x == 0) *size_ = value;
    __syncthreads();
  }

  // Where this thread's entries go, if the queue has room for all that is reserved together.
  __device__ std::uint32_t reserve(unsigned mask) {
    const auto mine = static_cast<std::uint32_t>(__popc(mask));
    if (one_atomic_a_thread_) return mine == 0 ? 0 : add_of_lane(size_, mine);
    std::uint32_t upto = mine;
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kAllLanes, upto, step);
      if (lane_id() >= step) upto += other;
    }
    std::uint32_t base = 0;
    if (lane_id() == 31 && upto > 0) base = atomicAdd(size_, upto);
    return __shfl_sync(kAllLanes, base, 31) + upto - mine;
  }

  __device__ void write(std::uint32_t at, std::uint32_t first, unsigned mask) {
    stress_pause();
    for (unsigned j = 0; j < kItemsEach; ++j) {
      if ((mask >> j & 1U) != 0) entries_[at++] = first + j;
    }
  }

  std::uint32_t* entries_;
  std::uint32_t* size_;
  std::uint32_t capacity_;
  std::uint32_t filled_ = 0;
  bool one_atomic_a_thread_;
};

}  // namespace bfslab::cuda
