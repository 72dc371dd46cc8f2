// SPDX-License-Identifier: Apache-2.0
// The state of a status scan between its two kernels: the number of vertices that each
// thread has counted, per class. The prefix sum over these numbers says where the vertices go.
//
// Cost: 4 bytes written and 8 read per thread and class, and the prefix sum between the kernels.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/threads.cuh"

namespace bfslab::cuda {

// Called by all threads of the grid. `counts`: [kClasses * threads].
template <int kClasses>
__device__ void keep_counts(const std::uint32_t (&own)[kClasses], std::uint32_t* counts) {
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    counts[std::size_t{threads_in_grid()} * c + thread_in_grid()] = own[c];
  }
}

// Called by all threads of a grid of the same size. `offsets`: the exclusive sums of `counts`.
// `queued` gets the sums of all threads.
template <int kClasses>
__device__ void take_places(const std::uint32_t* counts, const std::uint32_t* offsets,
                            std::uint32_t (&place)[kClasses], std::uint32_t* queued) {
  const std::size_t threads = threads_in_grid();
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    const std::size_t at = threads * c + thread_in_grid();
    place[c] = offsets[at] - offsets[threads * c];
    if (thread_in_grid() + 1 == threads) queued[c] = place[c] + counts[at];
  }
}

}  // namespace bfslab::cuda
