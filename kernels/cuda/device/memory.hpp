// SPDX-License-Identifier: Apache-2.0
// Device memory, and pinned host memory, as objects that free it.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// `count` elements of plain data in the current device's memory, uninitialised. Throws
// OutOfDeviceMemory. Never managed memory, which would page instead of failing.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* data = nullptr;
    check(cudaMalloc(&data, bytes()), "cudaMalloc", __FILE__, __LINE__, bytes());
    data_ = static_cast<T*>(data);
  }
  ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

  // Fills every byte, in the stream's order.
  void fill_bytes(int byte, cudaStream_t stream) {
    if (count_ > 0) BFSLAB_CUDA(cudaMemsetAsync(data_, byte, bytes(), stream));
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// `count` elements of page-locked host memory, which a GPU copies at full speed and can write.
template <typename T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* data = nullptr;
    BFSLAB_CUDA(cudaMallocHost(&data, bytes()));
    data_ = static_cast<T*>(data);
  }
  ~PinnedBuffer() { static_cast<void>(cudaFreeHost(data_)); }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace bfslab::cuda
