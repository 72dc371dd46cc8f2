// Who shares an expansion's work: the whole grid, or one block on its own.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

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

}  // namespace bfslab::cuda
