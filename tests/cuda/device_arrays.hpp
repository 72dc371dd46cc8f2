// SPDX-License-Identifier: Apache-2.0
// Arrays of a test, to the GPU's memory and back.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cuda/device/memory.hpp"

namespace bfslab::tests {

template <typename T>
cuda::DeviceBuffer<T> sent(const std::vector<T>& host) {
  cuda::DeviceBuffer<T> device(host.size());
  if (!host.empty()) {
    BFSLAB_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
    BFSLAB_CUDA(cudaDeviceSynchronize());  // the copy may still be running
  }
  return device;
}

template <typename T>
std::vector<T> fetched(const T* device, std::size_t count) {
  std::vector<T> host(count);
  if (count > 0) {
    BFSLAB_CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  return host;
}

template <typename T>
std::vector<T> fetched(const cuda::DeviceBuffer<T>& device) {
  return fetched(static_cast<const T*>(device.data()), device.size());
}

}  // namespace bfslab::tests
