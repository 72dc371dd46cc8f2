// SPDX-License-Identifier: Apache-2.0
// Which rows something holds of, as bits: at set-up, for the levels that then read a bit a row.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

// bits[r / 32] has bit r % 32 where has(r), for all r below `rows`; of the last word the rest is 0.
// Returns how many rows this thread has marked. All threads of the grid, of whole warps.
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
