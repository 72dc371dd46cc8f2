#include "tests/cuda/filter_kernel.hpp"

#include "kernels/cuda/frontier/filter.cuh"

namespace bfslab::tests {
namespace {

__global__ void filter(const __grid_constant__ cuda::Search search, level_t level) {
  cuda::filter_candidates(search, level, search.queue[level % 2],
                          search.slots[level % cuda::kSlots].queued);
}

}  // namespace

void run_filter(const cuda::Search& search, level_t level, unsigned blocks, unsigned threads) {
  filter<<<blocks, threads>>>(search, level);
  BFSLAB_CUDA_LAUNCHED("filter");
  BFSLAB_CUDA(cudaDeviceSynchronize());
}

}  // namespace bfslab::tests
