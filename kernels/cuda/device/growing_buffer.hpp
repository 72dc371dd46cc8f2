// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace bfslab::cuda {

// Device memory that grows when more is asked for, and is reused in the order of a stream.
class GrowingBuffer {
 public:
  // At least `bytes`, whose content is anything. What was there is given back after all that the
  // stream is waiting for.
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
