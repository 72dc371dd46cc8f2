// SPDX-License-Identifier: Apache-2.0
// Every CUDA call goes through BFSLAB_CUDA, so that no failure goes unseen.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/device_errors.hpp"

namespace bfslab::cuda {

// Throws OutOfDeviceMemory if `status` says so, and otherwise DeviceError. `wanted` is the number
// of bytes of a call that requests memory.
[[noreturn]] void throw_error(cudaError_t status, const char* call, const char* file, int line,
                              std::uint64_t wanted);

inline void check(cudaError_t status, const char* call, const char* file, int line,
                  std::uint64_t wanted = 0) {
  if (status != cudaSuccess) [[unlikely]]
    throw_error(status, call, file, line, wanted);
}

}  // namespace bfslab::cuda

#define BFSLAB_CUDA(call) ::bfslab::cuda::check((call), #call, __FILE__, __LINE__)
// Follows a <<<>>> launch. Its faults (too many threads, no such kernel) are reported only here.
#define BFSLAB_CUDA_LAUNCHED(name) \
  ::bfslab::cuda::check(cudaGetLastError(), "launch of " name, __FILE__, __LINE__)
