// SPDX-License-Identifier: Apache-2.0
// What kernels/device_services.hpp promises, by CUDA.
#include "kernels/device_services.hpp"

#include <cuda_profiler_api.h>

#include <array>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

namespace {

void copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) BFSLAB_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

// Without a profiler both do nothing, and some profilers refuse a second start: no error of ours.
void profiler_start() {
  static_cast<void>(cudaProfilerStart());
  static_cast<void>(cudaGetLastError());
}
void profiler_stop() {
  static_cast<void>(cudaProfilerStop());
  static_cast<void>(cudaGetLastError());
}

std::string pci_bus_id() {
  int current = 0;
  std::array<char, 32> text{};
  if (cudaGetDevice(&current) != cudaSuccess ||
      cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), current) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  return text.data();
}

void open() {
  static_cast<void>(cudaFree(nullptr));
  static_cast<void>(cudaGetLastError());
}

[[maybe_unused]] const bool supplied = gpu::copy_to_host.supply(copy_to_host) &&
                                       gpu::profiler_start.supply(profiler_start) &&
                                       gpu::profiler_stop.supply(profiler_stop) &&
                                       gpu::pci_bus_id.supply(pci_bus_id) && gpu::open.supply(open);

}  // namespace

}  // namespace bfslab::cuda
