// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace bfslab::cuda {

// Device memory that grows on request, and is reused in the order of a stream.
class GrowingBuffer {
 public:
  // Returns at least `bytes`, uninitialised. The previous memory is freed in the stream's order.
  std::byte* at_least(std::size_t bytes, cudaStream_t stream) {
    if (bytes > buffer_.size()) {
      BFSLAB_CUDA(cudaStreamSynchronize(stream));
      buffer_ = {};
      buffer_ = DeviceBuffer<std::byte>(bytes + bytes / 4);
    }
    return buffer_.data();
  }
  [[nodiscard]] std::size_t bytes() const { return buffer_.bytes(); }

 private:
  DeviceBuffer<std::byte> buffer_;
};

}  // namespace bfslab::cuda
