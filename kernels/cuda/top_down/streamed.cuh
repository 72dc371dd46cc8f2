// SPDX-License-Identifier: Apache-2.0
// The level loop over streamed frontiers (DFQ, Figure 4): one cooperative kernel with one barrier
// per level.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"
#include "kernels/cuda/frontier/collector.cuh"
#include "kernels/cuda/frontier/decentralized.cuh"
#include "kernels/cuda/top_down/rows.cuh"
#include "kernels/cuda/top_down/top_down.hpp"
#include "kernels/cuda/traversal/one_kernel.cuh"

namespace bfslab::cuda {

template <Expansion Expand, typename Rows>
requires TakesAnyList<Expand> __global__ void __launch_bounds__(1024)
    streamed_search(const __grid_constant__ TopDown search, LevelNumber first, level_t most) {
  extern __shared__ std::uint32_t shared[];
  __shared__ SubQueueCounts counts;
  const auto run = [&](level_t level) {
    auto action = collector_of<false>(search, search.collecting, level);
    const Expand expand(search.expansion);
    const Rows rows = rows_of<Rows>(search);
    const StreamTally tally =
        stream_level(search.items, search.status.levels, level, search.sub_queues, shared, &counts,
                     search.collecting.one_atomic_a_vertex,
                     [&](const std::uint32_t* entries, std::uint32_t count) {
                       expand.template run<BlockScope>(rows, entries, count, action);
                     });
    action.finish();
    LevelSlot* const slot = search.slot(level);
    if (threadIdx.x == 0 && tally.frontier > 0) atomicAdd(&slot->queued[0], tally.frontier);
    if (search.counts_queues()) {
      tally.collected.add_to(slot);
      if (threadIdx.x == 0) atomicAdd(&slot->drains, tally.drains);
    }
    return true;
  };
  run_levels(search, first.get(), most, run,
             [&](level_t level) { return search.slot(level)->all_queued() == 0; });
}

}  // namespace bfslab::cuda
