// A prefix sum over all threads of a cooperative grid, for the scans of a kernel that never ends
// between levels. It is plumbing: host-launched levels use CUB's.
//
// Cost: one barrier of the grid, and classes x blocks counts written once and read by every block.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_scan.cuh>

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

// Turns every thread's counts into the sums of those before it, threads in order of blocks. `sums`:
// [kClasses * blocks] of scratch. `totals` gets the sums over all threads; they can be read behind
// the next barrier of the grid.
template <int kClasses, int kBlockThreads>
__device__ void exclusive_of_grid(std::uint32_t (&own)[kClasses], std::uint32_t* sums,
                                  std::uint32_t* totals) {
  using BlockScan = cub::BlockScan<std::uint32_t, kBlockThreads>;
  __shared__ typename BlockScan::TempStorage storage;
  std::uint32_t of_block[kClasses];
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    BlockScan(storage).ExclusiveSum(own[c], own[c], of_block[c]);
    if (threadIdx.x == 0) sums[c * gridDim.x + blockIdx.x] = of_block[c];
    __syncthreads();
  }
  cooperative_groups::this_grid().sync();
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    std::uint32_t part = 0;
    for (unsigned b = threadIdx.x; b < blockIdx.x; b += kBlockThreads) {
      part += sums[c * gridDim.x + b];
    }
    std::uint32_t ignored = 0;
    std::uint32_t before = 0;
    BlockScan(storage).ExclusiveSum(part, ignored, before);
    own[c] += before;
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) totals[c] = before + of_block[c];
    __syncthreads();
  }
}

}  // namespace bfslab::cuda
