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
  return {properties.name, properties.multiProcessorCount, properties.maxThreadsPerMultiProcessor,
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

void throw_error(cudaError_t status, const char* call, const char* file, int line,
                 std::uint64_t wanted) {
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // this error leaves the device usable
    std::size_t free = 0;
    std::size_t total = 0;
    static_cast<void>(cudaMemGetInfo(&free, &total));
    throw OutOfDeviceMemory(wanted, free, total);
  }
  throw DeviceError(fmt::format("{}:{}: {}: {}: {}", file, line, call, cudaGetErrorName(status),
                                cudaGetErrorString(status)));
}

}  // namespace bfslab::cuda
