// SPDX-License-Identifier: Apache-2.0
// Thread indices in the warp, the block and the grid, and the scopes that share a piece of work.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kAllLanes = ~0U;

#ifdef __CUDACC__

__device__ inline unsigned lane_id() { return threadIdx.x & 31U; }
__device__ inline unsigned lanes_below() { return (1U << lane_id()) - 1; }
__device__ inline unsigned thread_in_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline unsigned threads_in_grid() { return gridDim.x * blockDim.x; }

// The same in 64 bits, for grids with blocks of kBlockThreads whose threads stride over as many
// items as memory holds.
__device__ inline std::uint64_t grid_thread() {
  return std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
}
__device__ inline std::uint64_t grid_threads() { return std::uint64_t{gridDim.x} * kBlockThreads; }

// The threads that share an expansion: the whole grid, or one block alone.
struct GridScope {
  __device__ static unsigned thread() { return thread_in_grid(); }
  __device__ static unsigned threads() { return threads_in_grid(); }
  __device__ static unsigned block() { return blockIdx.x; }
  __device__ static unsigned blocks() { return gridDim.x; }
};

struct BlockScope {
  __device__ static unsigned thread() { return threadIdx.x; }
  __device__ static unsigned threads() { return blockDim.x; }
  __device__ static unsigned block() { return 0; }
  __device__ static unsigned blocks() { return 1; }
};

#endif

}  // namespace bfslab::cuda
