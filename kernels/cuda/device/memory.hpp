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

// Returns the bytes of several buffers.
template <typename... Buffers>
std::size_t bytes_of(const Buffers&... buffers) {
  return (std::size_t{0} + ... + buffers.bytes());
}

}  // namespace bfslab::cuda
