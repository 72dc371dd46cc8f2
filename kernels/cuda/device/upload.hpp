// SPDX-License-Identifier: Apache-2.0
// Copies between host memory and device memory at the bus's speed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

// Copies `bytes` from `from` (any host memory) to `to` (device memory) through pinned staging: the
// host fills one buffer while the GPU fetches the other. Returns when the copy is complete.
void upload(void* to, const void* from, std::size_t bytes, const Stream& stream);
// Copies in the other direction: `to` is any host memory.
void download(void* to, const void* from, std::size_t bytes, const Stream& stream);

// Returns `count` elements with every byte 0, in the stream's order.
template <typename T>
DeviceBuffer<T> zeroed(std::size_t count, const Stream& stream) {
  DeviceBuffer<T> made(count);
  made.fill_bytes(0, stream.get());
  return made;
}
// Returns a copy of a range of host memory in device memory, and the other way, when it is
// complete.
template <typename T>
DeviceBuffer<T> uploaded(std::span<const T> host, const Stream& stream) {
  DeviceBuffer<T> made(host.size());
  upload(made.data(), host.data(), made.bytes(), stream);
  return made;
}
template <typename T>
std::vector<T> downloaded(const DeviceBuffer<T>& device, const Stream& stream) {
  std::vector<T> made(device.size());
  download(made.data(), device.data(), device.bytes(), stream);
  return made;
}
// Enqueues a copy of `count` elements between any memories, pageable host memory aside.
template <typename T>
void copy(T* to, const T* from, std::size_t count, const Stream& stream) {
  if (count == 0) return;
  BFSLAB_CUDA(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream.get()));
}

// Returns one value. Waits for all earlier work of the stream.
template <typename T>
T read_back(const T* value, const Stream& stream) {
  T host{};
  BFSLAB_CUDA(cudaMemcpyAsync(&host, value, sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
  stream.wait();
  return host;
}

}  // namespace bfslab::cuda
