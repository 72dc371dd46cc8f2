// SPDX-License-Identifier: Apache-2.0
// The answer while it grows: a level, and on request a parent, for every vertex.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace bfslab::cuda {

struct StatusView {
  level_t* levels = nullptr;    // [n] kUnreached: not found yet
  vertex_t* parents = nullptr;  // [n] kNoVertex: none yet; null: not requested
};

class StatusArrays {
 public:
  StatusArrays() = default;
  // Throws OutOfDeviceMemory.
  StatusArrays(std::size_t vertices, bool with_parents)
      : levels_(vertices), parents_(with_parents ? vertices : 0) {}

  [[nodiscard]] StatusView view() const { return {levels_.data(), parents_.data()}; }
  [[nodiscard]] std::uint64_t bytes() const { return levels_.bytes() + parents_.bytes(); }

 private:
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
};

}  // namespace bfslab::cuda
