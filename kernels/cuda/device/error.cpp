// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/error.hpp"

#include <fmt/format.h>

namespace bfslab::cuda {

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
