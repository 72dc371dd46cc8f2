// SPDX-License-Identifier: Apache-2.0
// Per-level counters: a ring of slots on the device, and a copy as the host last read them.
//
// While level l runs, slot l is read and added to, and slots l + 1 and (for early finds) l + 2 are
// added to. Threads that have just passed the barrier after it may still read slot l - 1. Slot l +
// 3 is cleared meanwhile. Eight slots keep all of these apart.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/degree_class.hpp"

namespace bfslab::cuda {

struct LevelSlot {
  std::uint32_t queued[kDegreeClasses] = {};  // entries of the level's queue, per class
  std::uint32_t ticket = 0;                   // dynamic balance: the next entry to hand out
  std::uint32_t candidates = 0;               // entries of the level's list of candidates
  std::uint32_t unvisited = 0;      // entries of the list of unvisited vertices before the level
  unsigned long long vertices = 0;  // found by the level before
  unsigned long long edges = 0;     // their out-degrees
  unsigned long long early_vertices = 0;  // found two levels before (XBFS, Lemma 2)
  unsigned long long early_edges = 0;
  unsigned long long checked = 0;  // adjacency entries that bottom-up read; counted on request
  // Counted on request, by engines that have such queues and balances.
  unsigned long long queue_atomics = 0;  // additions to the sizes of queues
  unsigned long long tickets = 0;        // additions to `ticket`
  std::uint32_t drains = 0;              // of the CTAs' queues
  std::uint32_t scanning_blocks = 0;     // blocks that had statuses to scan

  // Returns the number of entries of the level's queues, over all classes.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t all_queued() const {
    std::uint32_t all = 0;
    for (const std::uint32_t of_class : queued) all += of_class;
    return all;
  }
};

inline constexpr unsigned kSlots = 8;
inline constexpr unsigned kClearedAhead = 3;  // levels

// The kernels' view of the slots.
struct SlotRing {
  LevelSlot* slots = nullptr;  // [kSlots]

  [[nodiscard]] BFSLAB_HOST_DEVICE LevelSlot* at(level_t level) const {
    return slots + level % kSlots;
  }
  // Called by one thread of the grid, once per level.
  BFSLAB_HOST_DEVICE void clear_ahead_of(level_t level) const {
    *at(level + kClearedAhead) = LevelSlot{};
  }
};

class LevelSlots {
 public:
  LevelSlots() : device_(kSlots), host_(kSlots) {}

  [[nodiscard]] SlotRing view() const { return {device_.data()}; }
  [[nodiscard]] const LevelSlot& seen(level_t level) const { return host_[level % kSlots]; }
  // Waits for all earlier work of the stream.
  void read(const Stream& stream) {
    BFSLAB_CUDA(cudaMemcpyAsync(host_.data(), device_.data(), device_.bytes(),
                                cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
  }
  [[nodiscard]] std::uint64_t bytes() const { return device_.bytes(); }

 private:
  DeviceBuffer<LevelSlot> device_;
  PinnedBuffer<LevelSlot> host_;
};

// The number of the running level, as a kernel gets it: from the host that launches it, or from
// memory of a CUDA graph, which fixes its kernels' arguments once for all levels.
struct LevelNumber {
  level_t given = 0;
  const level_t* kept = nullptr;

#ifdef __CUDACC__
  __device__ level_t get() const { return kept != nullptr ? *kept : given; }
#endif
};

}  // namespace bfslab::cuda
