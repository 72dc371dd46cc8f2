// SPDX-License-Identifier: Apache-2.0
// The level loop over materialised frontiers: a level's queue is completed, then shared out. One
// cooperative kernel; a level takes one barrier of the grid if scan-free, two for a scan, three for
// a prefix sum or a filter.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"
#include "kernels/cuda/frontier/collector.cuh"
#include "kernels/cuda/frontier/filter.cuh"
#include "kernels/cuda/frontier/hierarchical.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/top_down/rows.cuh"
#include "kernels/cuda/top_down/top_down.hpp"
#include "kernels/cuda/traversal/one_kernel.cuh"

namespace bfslab::cuda {

// Gathers the level's queue, complete after a barrier. Called by all threads of the grid.
template <bool kByClass>
__device__ CollectTally gather(const TopDown& search, level_t level, HierarchicalQueue& lower) {
  const QueueView& queue = search.queue_of(level);
  LevelSlot* const slot = search.slot(level);
  CollectTally tally;
  const Collecting& collecting = search.collecting;
  if (search.gather == Gather::prefix_sum) {
    const PrefixScan scan{
        .levels = search.status.levels, .wanted = level, .graph = search.outgoing};
    gather_by_prefix_sum<kByClass ? kDegreeClasses : 1>(scan, search.sums, queue, slot->queued,
                                                        nullptr);
  } else if (search.gather == Gather::filter) {
    filter_candidates(search, collecting.candidates, level,
                      {kByClass, collecting.one_atomic_a_vertex});
  } else if (search.hierarchical) {
    tally.scanned = gather_hierarchical(search.items, search.status.levels, level, queue,
                                        slot->queued, lower, collecting.overflow);
  } else if constexpr (kByClass) {
    gather_by_class(search.outgoing, search.items, search.status.levels, level, queue, slot, false);
  } else {
    tally = gather_whole(search.items, search.status.levels, level, queue, slot->queued,
                         collecting.one_atomic_a_vertex);
  }
  return tally;
}

// `Rows`: maps the queue's entries to edges (traversal/edges.cuh).
template <Expansion Expand, typename Rows>
__global__ void __launch_bounds__(1024)
    materialised_search(const __grid_constant__ TopDown search, LevelNumber first, level_t most) {
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t counts[HierarchicalQueue::kLower + 1];
  HierarchicalQueue lower{shared, counts, search.sub_queues.capacity / HierarchicalQueue::kLower};
  if (search.hierarchical) lower.clear();
  const bool lowers = search.hierarchical && search.collecting.on_found == OnFound::queued;
  const auto run = [&](level_t level) {
    CollectTally tally;
    if (search.gather != Gather::nothing) {
      tally = gather<kHasClasses<Expand>>(search, level, lower);
      barrier_of_grid();
    }
    LevelSlot* const now = search.slot(level);
    if (now->all_queued() == 0) return false;
    auto action = collector_of<kHasClasses<Expand>>(search, search.collecting, level,
                                                    lowers ? &lower : nullptr);
    share_out(Expand(search.expansion), rows_of<Rows>(search), search.queue_of(level), now->queued,
              action);
    action.finish();
    if (lowers) lower.flush(action.queue.entries, action.next->queued);
    if (search.counts_queues()) {
      tally.atomics += lower.atomics;
      tally.add_to(now);
    }
    lower.atomics = 0;
    return true;
  };
  run_levels(search, first.get(), most, run, [](level_t) { return false; });
}

}  // namespace bfslab::cuda
