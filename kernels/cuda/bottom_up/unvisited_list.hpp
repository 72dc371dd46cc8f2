// SPDX-License-Identifier: Apache-2.0
// The memory of pulling by list and bitmap (bottom_up/unvisited_list.cuh): two lists of the
// unvisited and three bitmaps of the frontier. Level l reads one and makes the next.
#pragma once

#include <array>
#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace bfslab::cuda {

struct UnvisitedView {
  static constexpr unsigned kBitmaps = 3;

  vertex_t* list[2] = {};                  // [n] unvisited before even and before odd levels
  std::uint32_t* frontier[kBitmaps] = {};  // [ceil(n / 32)] bit v: v is on the level
};

class UnvisitedList {
 public:
  UnvisitedList() = default;
  // Throws OutOfDeviceMemory.
  explicit UnvisitedList(std::size_t vertices) {
    for (auto& list : lists_) list = DeviceBuffer<vertex_t>(vertices);
    for (auto& bitmap : bitmaps_) bitmap = DeviceBuffer<std::uint32_t>((vertices + 31) / 32);
  }

  [[nodiscard]] UnvisitedView view() const {
    UnvisitedView view;
    for (std::size_t i = 0; i < lists_.size(); ++i) view.list[i] = lists_[i].data();
    for (std::size_t i = 0; i < bitmaps_.size(); ++i) view.frontier[i] = bitmaps_[i].data();
    return view;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const auto& list : lists_) all += list.bytes();
    for (const auto& bitmap : bitmaps_) all += bitmap.bytes();
    return all;
  }

 private:
  std::array<DeviceBuffer<vertex_t>, 2> lists_;
  std::array<DeviceBuffer<std::uint32_t>, UnvisitedView::kBitmaps> bitmaps_;
};

}  // namespace bfslab::cuda
