// SPDX-License-Identifier: Apache-2.0
// The scratch memory that expansions share among the threads of a grid, and their settings.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace bfslab::cuda {

struct ExpandScratch {
  unsigned width = 32;             // lanes of a virtual warp
  edge_t* edges_before = nullptr;  // [n + 1] merge_path, load_balanced (expand/degree_sums.cuh)
  edge_t* block_edges = nullptr;   // [blocks] likewise
};

// The sums of degree_sums.cuh.
class DegreeSums {
 public:
  DegreeSums() = default;
  // Throws OutOfDeviceMemory.
  DegreeSums(std::size_t vertices, unsigned blocks)
      : edges_before_(vertices + 1), block_edges_(blocks) {}

  [[nodiscard]] ExpandScratch view(unsigned width) const {
    return {width, edges_before_.data(), block_edges_.data()};
  }
  [[nodiscard]] std::uint64_t bytes() const { return edges_before_.bytes() + block_edges_.bytes(); }
  [[nodiscard]] std::uint64_t bytes_by_device() const { return block_edges_.bytes(); }

 private:
  DeviceBuffer<edge_t> edges_before_, block_edges_;
};

}  // namespace bfslab::cuda
