// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/frontier/filter.cuh"
#include "tests/cuda/filter_kernel.hpp"

namespace bfslab::tests {
namespace {

__global__ void filter(const __grid_constant__ cuda::Traversal work,
                       cuda::CandidatesView candidates, level_t level, cuda::EnqueueBy by) {
  cuda::filter_candidates(work, candidates, level, by);
}

}  // namespace

void run_filter(const cuda::Traversal& work, const cuda::CandidatesView& candidates, level_t level,
                bool by_class, bool one_atomic_a_vertex, unsigned blocks, unsigned threads) {
  filter<<<blocks, threads>>>(work, candidates, level, {by_class, one_atomic_a_vertex});
  BFSLAB_CUDA_LAUNCHED("filter");
  BFSLAB_CUDA(cudaDeviceSynchronize());
}

}  // namespace bfslab::tests
