// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"

namespace bfslab::cuda {

namespace {

DeviceFacts ask() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    throw InputError(fmt::format(
        "no GPU can be used: {}; GPU engines need an NVIDIA GPU and its driver (nvidia-smi shows "
        "both), and one that CUDA_VISIBLE_DEVICES does not hide",
        status == cudaSuccess ? "none was found" : cudaGetErrorString(status)));
  }
  int current = 0;
  BFSLAB_CUDA(cudaGetDevice(&current));
  cudaDeviceProp properties{};
  BFSLAB_CUDA(cudaGetDeviceProperties(&properties, current));
  return {properties.name,
          properties.multiProcessorCount,
          properties.maxThreadsPerMultiProcessor,
          static_cast<std::uint64_t>(properties.l2CacheSize),
          properties.totalGlobalMem,
          properties.sharedMemPerBlockOptin};
}

}  // namespace

const DeviceFacts& device() {
  static const DeviceFacts facts = ask();
  return facts;
}

unsigned full_grid() {
  const auto threads = static_cast<unsigned>(device().threads_per_multiprocessor);
  return static_cast<unsigned>(device().multiprocessors) * (threads / kBlockThreads);
}

unsigned blocks_for(std::uint64_t threads) {
  const std::uint64_t enough = (threads + kBlockThreads - 1) / kBlockThreads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(enough, 1, full_grid()));
}

}  // namespace bfslab::cuda
