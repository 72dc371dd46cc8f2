// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched with more shared memory than every kernel may have.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// How many bytes a block of the kernel may ask for at launch, beside what the kernel declares; it
// may ask for as many from now on. The limit is the kernel's, not one engine's of several that use
// it.
template <typename... Parameters>
std::size_t allow_shared_bytes(void (*kernel)(Parameters...)) {
  const auto* const entry = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes found{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&found, entry));
  const std::size_t of_block = device().shared_bytes_of_block;
  const std::size_t most = of_block - std::min(of_block, found.sharedSizeBytes);
  BFSLAB_CUDA(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most)));
  return most;
}

}  // namespace bfslab::cuda
