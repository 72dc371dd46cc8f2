// SPDX-License-Identifier: Apache-2.0
// The log of a kernel that runs all levels, by the device's clock. The host requests it if a level
// sink wants times and no profiler wants ranges. Otherwise it costs a pointer test per level.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

#ifdef __CUDACC__
// Returns the nanoseconds of the device's global timer.
__device__ inline unsigned long long device_ns() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
#endif

struct LevelRecord {
  LevelSlot slot;                     // of the level, at its end
  unsigned kind = 0;                  // one of the engine's kinds of level
  unsigned long long between_ns = 0;  // when its frontier was complete; 0: not measured
  unsigned long long end_ns = 0;
};

struct LevelLogHead {
  unsigned long long start_ns = 0;  // of the first level; the others begin when the one before ends
  level_t levels = 0;               // number of levels that have ended
};

// A kernel's view of the log. Levels beyond its end are counted but not stored.
struct LevelLogView {
  LevelLogHead* head = nullptr;    // [1] null: nothing is noted
  LevelRecord* records = nullptr;  // [capacity]
  level_t capacity = 0;

#ifdef __CUDACC__
  // Each is called by one thread of the grid, always the same one.
  __device__ void starts() const {
    if (head != nullptr) head->start_ns = device_ns();
  }
  __device__ void level_is(level_t level, unsigned kind) const {
    if (head != nullptr && level < capacity) records[level] = LevelRecord{.kind = kind};
  }
  __device__ void frontier_is_there(level_t level) const {
    if (head != nullptr && level < capacity) records[level].between_ns = device_ns();
  }
  __device__ void level_ended(level_t level, const LevelSlot& slot) const {
    if (head == nullptr) return;
    head->levels = level + 1;
    if (level >= capacity) return;
    records[level].end_ns = device_ns();
    records[level].slot = slot;
  }
#endif
};

class LevelLog {
 public:
  LevelLog() = default;
  // `capacity`: in levels.
  explicit LevelLog(level_t capacity) : head_(1), records_(capacity) {}

  [[nodiscard]] LevelLogView view() const {
    return {head_.data(), records_.data(), static_cast<level_t>(records_.size())};
  }
  [[nodiscard]] bool empty() const { return records_.size() == 0; }

 private:
  DeviceBuffer<LevelLogHead> head_;
  DeviceBuffer<LevelRecord> records_;
};

}  // namespace bfslab::cuda
