// SPDX-License-Identifier: Apache-2.0
// Arguments and report of the kernels of the device's check.
#pragma once

#include <cuda/atomic>

#include "kernels/answer_rules.hpp"
#include "kernels/cuda/check/launches.hpp"
#include "kernels/cuda/device/threads.cuh"

namespace bfslab::cuda {

// A smaller key is an earlier rule or, for the same rule, a smaller vertex. The smallest key is the
// violation that the host's check finds first.
__device__ inline std::uint64_t broken_key(Rule rule, vertex_t v) {
  return std::uint64_t{static_cast<std::uint32_t>(rule)} << 32 | v;
}

__device__ inline void report_broken(CheckReport* report, std::uint64_t key) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicMin(&report->first_broken, static_cast<unsigned long long>(key));
}

// Reads values that other threads of the running kernel write: whole, and never through L1.
template <typename T>
__device__ inline T load_fresh(T& place) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(place).load(
      ::cuda::memory_order_relaxed);
}
template <typename T>
__device__ inline void store_fresh(T& place, T value) {
  ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(place).store(value,
                                                                  ::cuda::memory_order_relaxed);
}

}  // namespace bfslab::cuda
