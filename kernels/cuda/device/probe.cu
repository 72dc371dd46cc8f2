// SPDX-License-Identifier: Apache-2.0
// A fixed amount of work. Its time shows the harness that another program uses the GPU, even if no
// list of processes shows it (kernels/device_services.hpp).
#include <chrono>
#include <string>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/device_services.hpp"

namespace bfslab::cuda {

namespace {

// Rounds of at least three dependent operations. A scheduler with 16 warps issues 98,304 of them,
// which takes 50 us at 2 GHz; the launch and the latencies come on top.
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
  const auto begin = std::chrono::steady_clock::now();
  fixed_work<<<blocks, kBlockThreads>>>(nullptr);
  BFSLAB_CUDA_LAUNCHED("fixed_work");
  BFSLAB_CUDA(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  BFSLAB_CUDA(cudaSetDevice(before));
  return spent.count();
}

[[maybe_unused]] const bool supplied = gpu::probe_ms.supply(probe_ms);

}  // namespace

}  // namespace bfslab::cuda
