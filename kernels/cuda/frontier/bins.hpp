// SPDX-License-Identifier: Apache-2.0
// The memory of the bins that the threads of a scan fill (bins.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/threads.cuh"

namespace bfslab::cuda {

struct BinsView {
  vertex_t* entries = nullptr;  // [classes][threads][room]
  std::uint32_t room = 0;       // entries of a bin: ScanLayout::room_of_bin()

#ifdef __CUDACC__
  // Returns the calling thread's bin.
  [[nodiscard]] __device__ vertex_t* bin(int of_class) const {
    const std::size_t bin = std::size_t{threads_in_grid()} * of_class + thread_in_grid();
    return entries + bin * room;
  }
#endif
};

}  // namespace bfslab::cuda
