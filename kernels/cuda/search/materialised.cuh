// The level loop over materialised frontiers: a level's queue is made as a whole, then shared out.
// One cooperative kernel; by scan_free a level takes one barrier of the grid, by a scan two, by a
// prefix sum or a filter three.
#pragma once

#include "kernels/cuda/frontier/central.cuh"
#include "kernels/cuda/frontier/filter.cuh"
#include "kernels/cuda/frontier/grid_scan.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/search/level_loop.cuh"

namespace bfslab::cuda {

template <int kClasses>
__device__ void gather_by_prefix_sum(const Search& search, level_t level, const QueueView& queue,
                                     std::uint32_t* queued) {
  const PrefixScan scan{search.levels, level, search.graph, false, nullptr, nullptr};
  std::uint32_t own[kClasses] = {};
  count_wanted<kClasses>(scan, own, nullptr);
  exclusive_of_grid<kClasses>(own, search.sums, queued);
  place_wanted<kClasses>(scan, own, queue);
}

// The scan's finds go through the block's hierarchical queue.
__device__ inline void gather_hierarchical(const Search& search, level_t level,
                                           const QueueView& queue, std::uint32_t* queued,
                                           HierarchicalQueue& lower) {
  ItemScan scan(search, level);
  for (Tile tile; scan.next(tile);) {
    lower.push_tile(tile, queue.entries, queued, search.overflow);
  }
  lower.flush(queue.entries, queued);
}

// Behind it and a barrier of the grid the level's queue is there. All threads of the grid.
__device__ inline void gather(const Search& search, level_t level, HierarchicalQueue& lower) {
  const QueueView& queue = search.queue[level % 2];
  std::uint32_t* const queued = slot_of(search, level)->queued;
  if (search.collect == Collect::prefix_sum) {
    if (search.by_degree) {
      gather_by_prefix_sum<kDegreeClasses>(search, level, queue, queued);
    } else {
      gather_by_prefix_sum<1>(search, level, queue, queued);
    }
  } else if (search.collect == Collect::filter) {
    filter_candidates(search, level, queue, queued);
  } else if (search.hierarchical) {
    gather_hierarchical(search, level, queue, queued, lower);
  } else {
    gather_central(search, level, queue, queued);
  }
}

template <typename Expand>
__global__ void __launch_bounds__(1024)
    materialised_search(const __grid_constant__ Search search, level_t first, level_t most) {
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t counts[HierarchicalQueue::kLower + 1];
  HierarchicalQueue lower{shared, counts, search.capacity / HierarchicalQueue::kLower};
  const bool scan_free = search.collect == Collect::scan_free;
  if (search.hierarchical) lower.clear();
  for (level_t level = first; level - first < most; ++level) {
    LevelSlot* const now = slot_of(search, level);
    if (!scan_free) {
      gather(search, level, lower);
      barrier_of_grid();
    }
    if (queued_at(now) == 0) break;
    const bool lowers = scan_free && search.hierarchical;
    Visitor visitor = visitor_of(search, level, lowers ? &lower : nullptr);
    Expand::run_whole(search, level, now, visitor);
    visitor.finish();
    if (lowers) lower.flush(visitor.queue.entries, visitor.next->queued);
    if (thread_in_grid() == 0) *slot_of(search, level + 2) = LevelSlot{};
    barrier_of_grid();
  }
}

// An expansion that takes any list of items, given all of a level's.
template <typename Expand>
struct Whole {
  __device__ static void run_whole(const Search& search, level_t level, const LevelSlot* now,
                                   Visitor& visitor) {
    Expand::template run<GridScope>(search, search.queue[level % 2].entries, now->queued[0],
                                    visitor);
  }
};

}  // namespace bfslab::cuda
