// SPDX-License-Identifier: Apache-2.0
// Implements kernels/device_services.hpp with CUDA.
#include "kernels/device_services.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <array>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

namespace {

void copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) BFSLAB_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

// Without a profiler both do nothing. Some profilers refuse a second start, which is harmless.
void profiler_start() {
  static_cast<void>(cudaProfilerStart());
  static_cast<void>(cudaGetLastError());
}
void profiler_stop() {
  static_cast<void>(cudaProfilerStop());
  static_cast<void>(cudaGetLastError());
}

std::vector<std::string> pci_bus_ids(unsigned members) {
  int current = 0;
  int devices = 0;
  std::vector<std::string> all;
  if (cudaGetDevice(&current) == cudaSuccess && cudaGetDeviceCount(&devices) == cudaSuccess) {
    const int count = std::min(static_cast<int>(members), devices);
    for (int i = 0; i < count; ++i) {
      std::array<char, 32> text{};
      if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()),
                                (current + i) % devices) == cudaSuccess) {
        all.emplace_back(text.data());
      }
    }
  }
  static_cast<void>(cudaGetLastError());
  return all;
}

void open() {
  static_cast<void>(cudaFree(nullptr));
  static_cast<void>(cudaGetLastError());
}

[[maybe_unused]] const bool supplied =
    gpu::copy_to_host.supply(copy_to_host) && gpu::profiler_start.supply(profiler_start) &&
    gpu::profiler_stop.supply(profiler_stop) && gpu::pci_bus_ids.supply(pci_bus_ids) &&
    gpu::open.supply(open);

}  // namespace

}  // namespace bfslab::cuda
