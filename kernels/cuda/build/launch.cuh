// What the kernels of the build share: launch sizes, and single values read back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

inline constexpr int kBuildThreads = 256;  // a block

// Blocks for a grid-stride loop over `items`, `each` a thread: at most as many as fill the GPU.
inline unsigned build_blocks(std::uint64_t items, unsigned each = 1) {
  constexpr std::uint64_t kBlocksPerMultiprocessor = 8;
  const std::uint64_t tile = std::uint64_t{kBuildThreads} * each;
  const std::uint64_t full =
      static_cast<std::uint64_t>(device().multiprocessors) * kBlocksPerMultiprocessor;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((items + tile - 1) / tile, 1, full));
}

// Waits for all that the stream has to do before.
template <typename T>
T read_back(const T* value, const Stream& stream) {
  T host{};
  BFSLAB_CUDA(cudaMemcpyAsync(&host, value, sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
  stream.wait();
  return host;
}

}  // namespace bfslab::cuda
