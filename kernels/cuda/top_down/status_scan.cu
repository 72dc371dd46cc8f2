// SPDX-License-Identifier: Apache-2.0
// No queue: in each level, threads or virtual warps look at the status of every vertex (or virtual
// vertex) and expand those of the level at once (Harish and Narayanan, and Hong et al., in DFQ,
// section II.B; Tigr over virtual vertices).
//
// Cost: 4 bytes per item and level, and the expansion's cost. No memory beside the statuses, one
// barrier of the grid per level. Wins on graphs of few levels; each level looks at all statuses,
// however few vertices it has.
#include "kernels/cuda/frontier/collector.cuh"
#include "kernels/cuda/top_down/kernels.hpp"
#include "kernels/cuda/top_down/rows.cuh"
#include "kernels/cuda/traversal/one_kernel.cuh"

namespace bfslab::cuda {
namespace {

// Tests the items at i, i + step, ... : bit j is set if the j-th is of the level. All statuses are
// requested before the first is tested.
template <int kEach>
__device__ unsigned of_level(const TopDown& search, level_t level, std::size_t i,
                             std::size_t step) {
  vertex_t vertex[kEach];
  level_t status[kEach];
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const std::size_t at = i + j * step;
    vertex[j] = kNoVertex;
    if (at < search.items.count) {
      vertex[j] =
          search.items.vertex == nullptr ? static_cast<vertex_t>(at) : search.items.vertex[at];
    }
  }
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    status[j] = ~level;
    if (vertex[j] != kNoVertex) status[j] = __ldcg(search.status.levels + vertex[j]);
  }
  unsigned mask = 0;
#pragma unroll
  for (int j = 0; j < kEach; ++j) mask |= (status[j] == level ? 1U : 0U) << j;
  return mask;
}

__global__ void __launch_bounds__(1024)
    status_scan_search(const __grid_constant__ TopDown search, LevelNumber first, level_t most) {
  constexpr int kEach = 4;
  const unsigned width = search.expansion.width;
  const unsigned lane = thread_in_grid() % width;
  const std::size_t groups = threads_in_grid() / width;
  const auto rows = rows_of<ItemRows>(search);
  const auto run = [&](level_t level) {
    auto action = collector_of<false>(search, search.collecting, level);
    bool any = false;
    for (std::size_t i = thread_in_grid() / width; i < search.items.count; i += kEach * groups) {
      const unsigned mask = of_level<kEach>(search, level, i, groups);
      any = any || mask != 0;
      // All lanes in step, so that neighbouring items are expanded together.
#pragma unroll 1
      for (int j = 0; j < kEach; ++j) {
        if ((mask >> j & 1U) == 0) continue;
        const auto item = static_cast<std::uint32_t>(i + j * groups);
        visit_edges(action, search.outgoing, rows.range_of(item), lane, width);
      }
    }
    action.finish();
    if (__syncthreads_or(any) != 0 && threadIdx.x == 0) {
      atomicAdd(&search.slot(level)->queued[0], 1U);
    }
    return true;
  };
  run_levels(search, first.get(), most, run,
             [&](level_t level) { return search.slot(level)->all_queued() == 0; });
}

}  // namespace

TopDownKernel scanning_kernel() { return &status_scan_search; }

}  // namespace bfslab::cuda
