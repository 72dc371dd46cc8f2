// SPDX-License-Identifier: Apache-2.0
// Cooperative kernels: all of their blocks run at once, so that they can synchronise at a barrier.
#pragma once

#include <cstddef>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// Returns how many blocks of the kernel the GPU runs at once.
template <typename... Parameters>
unsigned blocks_at_once(void (*kernel)(Parameters...), unsigned threads, std::size_t shared_bytes) {
  int of_multiprocessor = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &of_multiprocessor, reinterpret_cast<const void*>(kernel), static_cast<int>(threads),
      shared_bytes));
  return static_cast<unsigned>(of_multiprocessor * device().multiprocessors);
}

// A cooperative kernel with its grid: at most blocks_at_once() blocks.
template <typename... Parameters>
struct CooperativeKernel {
  void (*kernel)(Parameters...) = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;  // per block, requested at launch

  void launch(cudaStream_t stream, Parameters... arguments) const {
    void* pointers[] = {static_cast<void*>(&arguments)...};
    BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                            dim3(threads), pointers, shared_bytes, stream));
  }
};

}  // namespace bfslab::cuda
