// SPDX-License-Identifier: Apache-2.0
// The memory of bottom-up by first neighbours (bottom_up/first_neighbors.cuh) for engines whose
// answer grows in statuses: an array of first entries, and sets of vertices as bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

// Returns the words of a warp's turn, at least 1 and at most 32: in as many rounds as turns of 32
// words take, of equal length, a multiple of 8 beyond 8. Example: 100 warps share 4,000 words out
// in two rounds, in turns of 24 words.
BFSLAB_HOST_DEVICE constexpr std::uint32_t words_per_turn(std::uint32_t words,
                                                          std::uint32_t warps) {
  const std::uint32_t rounds = words > 0 ? (words + 32 * warps - 1) / (32 * warps) : 1;
  const std::uint32_t even = (words + rounds * warps - 1) / (rounds * warps);
  if (even > 8) return (even + 7) / 8 * 8;
  return even > 0 ? even : 1;
}

// Sets first[r] to the first entry of row r, kNoVertex where it has none, for `rows` > 0 rows.
void take_first_entries(const edge_t* offsets, const vertex_t* columns, std::size_t rows,
                        vertex_t* first, const Stream& stream);

struct FirstNeighborsView {
  vertex_t* first = nullptr;         // [n, a multiple of 4] first entries of rows; kNoVertex: none
  std::uint32_t* visited = nullptr;  // [ceil(n / 32)] bit v: v is visited, or no edge enters it
  std::uint32_t* frontier[2] = {};   // [ceil(n / 32)] bit v: v is of the even or odd level
};

class FirstNeighborsMemory {
 public:
  FirstNeighborsMemory() = default;
  // Throws OutOfDeviceMemory.
  explicit FirstNeighborsMemory(std::size_t vertices) : first_((vertices + 3) / 4 * 4) {
    for (auto& bits : bits_) bits = DeviceBuffer<std::uint32_t>((vertices + 31) / 32);
  }

  [[nodiscard]] FirstNeighborsView view() const {
    return {first_.data(), bits_[0].data(), {bits_[1].data(), bits_[2].data()}};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return first_.bytes() + bits_[0].bytes() + bits_[1].bytes() + bits_[2].bytes();
  }

 private:
  DeviceBuffer<vertex_t> first_;
  DeviceBuffer<std::uint32_t> bits_[3];
};

}  // namespace bfslab::cuda
