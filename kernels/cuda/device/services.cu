// SPDX-License-Identifier: Apache-2.0
// Implements kernels/device_services.hpp with CUDA.
#include "kernels/device_services.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/memory.hpp"

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

// Returns the numbers of the devices on which this process's members work; none if there is no GPU.
std::vector<int> devices_of(unsigned members) {
  int current = 0;
  int devices = 0;
  std::vector<int> all;
  if (cudaGetDevice(&current) == cudaSuccess && cudaGetDeviceCount(&devices) == cudaSuccess) {
    const int count = std::min(static_cast<int>(members), devices);
    for (int i = 0; i < count; ++i) all.push_back((current + i) % devices);
  }
  static_cast<void>(cudaGetLastError());
  return all;
}

std::vector<std::string> pci_bus_ids(unsigned members) {
  std::vector<std::string> all;
  for (const int device : devices_of(members)) {
    std::array<char, 32> text{};
    if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) == cudaSuccess) {
      all.emplace_back(text.data());
    }
  }
  static_cast<void>(cudaGetLastError());
  return all;
}

// Writes another byte each time, so that no line of the cache has its contents already.
std::size_t overwrite_l2(unsigned members) {
  // By device. Never destroyed, since the CUDA runtime may end before static objects do.
  static auto& buffers = *new std::map<int, DeviceBuffer<std::byte>>;
  static int byte = 0;
  const cudaStream_t standard = nullptr;
  int before = 0;
  BFSLAB_CUDA(cudaGetDevice(&before));
  byte = (byte + 1) % 256;
  std::size_t written = 0;
  for (const int device : devices_of(members)) {
    BFSLAB_CUDA(cudaSetDevice(device));
    DeviceBuffer<std::byte>& buffer = buffers[device];
    if (buffer.size() == 0) {
      int l2_bytes = 0;
      BFSLAB_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
      buffer = DeviceBuffer<std::byte>(2 * static_cast<std::size_t>(l2_bytes));
    }
    buffer.fill_bytes(byte, standard);
    written += buffer.bytes();
    BFSLAB_CUDA(cudaDeviceSynchronize());
  }
  BFSLAB_CUDA(cudaSetDevice(before));
  return written;
}

void open() {
  static_cast<void>(cudaFree(nullptr));
  static_cast<void>(cudaGetLastError());
}

// A fixed amount of work. Its time shows the harness that another program uses the GPU, even if no
// list of processes shows it. Rounds of at least three dependent operations. A scheduler with 16
// warps issues 98,304 of them, which takes 50 us at 2 GHz; the launch and the latencies come on
// top.
constexpr unsigned kRounds = 2'048;

// `out` is null, which the compiler cannot know, so the work is not optimised away and the probe
// needs no memory. The rounds are more than multiplications and additions, of which 64 rounds would
// reduce to one multiplication.
__global__ void __launch_bounds__(kBlockThreads) fixed_work(unsigned* out) {
  unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < kRounds; ++round) {
    value = (value ^ value >> 15) * 1664525U + 1013904223U;
  }
  if (out != nullptr) out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

double probe_ms(const std::string& bus) {
  int before = 0;
  int there = 0;
  BFSLAB_CUDA(cudaGetDevice(&before));
  if (cudaDeviceGetByPCIBusId(&there, bus.c_str()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  BFSLAB_CUDA(cudaSetDevice(there));
  const unsigned blocks = full_grid();
  const cudaStream_t standard = nullptr;
  const auto begin = std::chrono::steady_clock::now();
  BFSLAB_LAUNCH(fixed_work, blocks, standard, nullptr);
  BFSLAB_CUDA(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  BFSLAB_CUDA(cudaSetDevice(before));
  return spent.count();
}

[[maybe_unused]] const bool services_supplied =
    gpu::copy_to_host.supply(copy_to_host) && gpu::profiler_start.supply(profiler_start) &&
    gpu::profiler_stop.supply(profiler_stop) && gpu::pci_bus_ids.supply(pci_bus_ids) &&
    gpu::open.supply(open) && gpu::probe_ms.supply(probe_ms) &&
    gpu::overwrite_l2.supply(overwrite_l2);

}  // namespace

}  // namespace bfslab::cuda
