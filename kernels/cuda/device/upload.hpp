// SPDX-License-Identifier: Apache-2.0
// Copies between host memory and device memory at the bus's speed.
#pragma once

#include <cstddef>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

// Copies `bytes` from `from` (any host memory) to `to` (device memory) through pinned staging: the
// host fills one buffer while the GPU fetches the other. Returns when the copy is complete.
void upload(void* to, const void* from, std::size_t bytes, const Stream& stream);
// Copies in the other direction: `to` is any host memory.
void download(void* to, const void* from, std::size_t bytes, const Stream& stream);

// Returns one value. Waits for all earlier work of the stream.
template <typename T>
T read_back(const T* value, const Stream& stream) {
  T host{};
  BFSLAB_CUDA(cudaMemcpyAsync(&host, value, sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
  stream.wait();
  return host;
}

}  // namespace bfslab::cuda
