// SPDX-License-Identifier: Apache-2.0
// Marks the rows that satisfy a condition, as bits: at set-up, for levels that read a bit per row.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

// Sets bit r % 32 of bits[r / 32] to has(r) for all r below `rows`; the last word's other bits
// become 0. Returns the rows that this thread marked. Called by all threads of the grid, in whole
// warps.
template <typename Has>
__device__ std::uint32_t mark_rows(std::uint64_t rows, std::uint32_t* bits, Has has) {
  std::uint32_t marked = 0;
  for (std::uint64_t first = thread_in_grid() - lane_id(); first < rows;
       first += threads_in_grid()) {
    const std::uint64_t r = first + lane_id();
    const unsigned word = __ballot_sync(kAllLanes, r < rows && has(r));
    if (lane_id() != 0) continue;
    bits[first / 32] = word;
    marked += __popc(word);
  }
  return marked;
}

}  // namespace bfslab::cuda
