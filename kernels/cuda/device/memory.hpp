// SPDX-License-Identifier: Apache-2.0
// Device memory, and pinned host memory, as objects that free it.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// Device memory. Throws OutOfDeviceMemory. Never managed memory, which would page instead of
// failing.
struct OnDevice {
  static void* allocate(std::size_t bytes) {
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc", __FILE__, __LINE__, bytes);
    return data;
  }
  static void release(void* data) { static_cast<void>(cudaFree(data)); }
};

// Page-locked host memory, which a GPU copies at full speed and can write.
struct OnHost {
  static void* allocate(std::size_t bytes) {
    void* data = nullptr;
    BFSLAB_CUDA(cudaMallocHost(&data, bytes));
    return data;
  }
  static void release(void* data) { static_cast<void>(cudaFreeHost(data)); }
};

// `count` elements of plain data, uninitialised.
template <typename T, typename Memory>
class OwnedArray {
 public:
  OwnedArray() = default;
  explicit OwnedArray(std::size_t count) : count_(count) {
    if (count > 0) data_ = static_cast<T*>(Memory::allocate(bytes()));
  }
  ~OwnedArray() { Memory::release(data_); }
  OwnedArray(OwnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  OwnedArray(const OwnedArray&) = delete;
  OwnedArray& operator=(const OwnedArray&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

  // Fills every byte, in the stream's order.
  void fill_bytes(int byte, cudaStream_t stream) const requires std::same_as<Memory, OnDevice> {
    if (count_ > 0) BFSLAB_CUDA(cudaMemsetAsync(data_, byte, bytes(), stream));
  }
  T& operator[](std::size_t i) const requires std::same_as<Memory, OnHost> { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

template <typename T>
using DeviceBuffer = OwnedArray<T, OnDevice>;
template <typename T>
using PinnedBuffer = OwnedArray<T, OnHost>;

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

// Calls run(scratch, bytes) twice, as algorithms of CUB are called: first with null, which sets
// `bytes`, then with `bytes` of device memory. Waits for the stream.
template <typename Run>
void with_scratch(cudaStream_t stream, const Run& run) {
  std::size_t bytes = 0;
  BFSLAB_CUDA(run(nullptr, bytes));
  const DeviceBuffer<std::byte> scratch(bytes);
  BFSLAB_CUDA(run(scratch.data(), bytes));
  BFSLAB_CUDA(cudaStreamSynchronize(stream));
}

template <typename... Buffers>
std::size_t bytes_of(const Buffers&... buffers) {
  return (std::size_t{0} + ... + buffers.bytes());
}

}  // namespace bfslab::cuda
