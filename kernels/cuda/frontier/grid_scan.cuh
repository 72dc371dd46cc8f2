// A prefix sum over all threads of a cooperative grid, for the scans of a kernel that never ends
// between levels. It is plumbing: host-launched levels use CUB's, whose block scan wants the size
// of a block at compile time.
//
// Cost: one barrier of the grid, and classes x blocks counts written once and read by every block.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

// The sum of the values of the threads before this one; `total` gets the sum of all. All threads of
// the block, a multiple of 32.
template <typename T>
__device__ T exclusive_of_block(T value, T& total) {
  __shared__ T of_warp[32];
  T upto = value;
  for (unsigned step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(kAllLanes, upto, step);
    if (lane_id() >= step) upto += other;
  }
  if (lane_id() == 31) of_warp[threadIdx.x / 32] = upto;
  __syncthreads();
  if (threadIdx.x < 32) {
    T sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : T{0};
    for (unsigned step = 1; step < 32; step *= 2) {
      const T other = __shfl_up_sync(kAllLanes, sum, step);
      if (lane_id() >= step) sum += other;
    }
    of_warp[threadIdx.x] = sum;
  }
  __syncthreads();
  total = of_warp[blockDim.x / 32 - 1];
  const T before = threadIdx.x < 32 ? T{0} : of_warp[threadIdx.x / 32 - 1];
  __syncthreads();  // of_warp may be used again at once
  return before + upto - value;
}

// Turns every thread's counts into the sums of those before it, threads in order of blocks. `sums`:
// [kClasses * blocks] of scratch. `totals` gets the sums over all threads; they can be read behind
// the next barrier of the grid.
template <int kClasses>
__device__ void exclusive_of_grid(std::uint32_t (&own)[kClasses], std::uint32_t* sums,
                                  std::uint32_t* totals) {
  std::uint32_t of_block[kClasses];
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    own[c] = exclusive_of_block(own[c], of_block[c]);
    if (threadIdx.x == 0) sums[c * gridDim.x + blockIdx.x] = of_block[c];
  }
  cooperative_groups::this_grid().sync();
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    std::uint32_t part = 0;
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += blockDim.x) {
      part += sums[c * gridDim.x + b];
    }
    std::uint32_t before = 0;
    exclusive_of_block(part, before);
    own[c] += before;
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) totals[c] = before + of_block[c];
  }
}

}  // namespace bfslab::cuda
