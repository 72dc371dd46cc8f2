// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched with more shared memory than the default limit.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// Raises the kernel's limit, and returns how many bytes a block may request at launch beside what
// the kernel declares. The limit belongs to the kernel, and so to all engines that use it.
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
