// gunrock's levels: one cooperative kernel, launched once a level or once a traversal. Barriers of
// the grid stand where Gunrock ends one operator's kernel and begins the next one's.
#include <stdexcept>

#include "kernels/cuda/bottom_up/unvisited_list.cuh"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/expand/load_balanced.cuh"
#include "kernels/cuda/expand/thread_warp_cta.cuh"
#include "kernels/cuda/frontier/filter.cuh"
#include "kernels/cuda/gunrock_work.hpp"
#include "kernels/cuda/search/level_loop.cuh"
#include "kernels/cuda/search/materialised.cuh"

namespace bfslab::cuda {
namespace {

// Advance from this level's queue, and filter into the next one's.
template <typename Advance>
__device__ void push(const GunrockWork& work, const GunrockProgress& at) {
  const Search& search = work.search;
  LevelSlot* const now = slot_of(search, at.level);
  LevelSlot* const next = slot_of(search, at.level + 1);
  if (at.was_pull) {
    queue_frontier(work.unvisited, at.level, search.queue[at.level % 2].entries, now->queued);
    barrier_of_grid();
  }
  Visitor visitor = visitor_of(search, at.level);
  Advance::run_whole(search, at.level, now, visitor);
  visitor.finish();
  if (search.collect != Collect::filter) return;
  barrier_of_grid();
  filter_candidates(search, at.level + 1, search.queue[(at.level + 1) % 2], next->queued);
}

__device__ void pull(const GunrockWork& work, const GunrockProgress& at) {
  const Search& search = work.search;
  if (!at.was_pull) {
    list_unvisited(work.unvisited, search.levels, at.level);
    barrier_of_grid();
  }
  Puller puller(work.unvisited, search, at.level);
  puller.run(at.level);
  puller.finish(slot_of(search, at.level + 1));
  clear_bitmap_after_next(work.unvisited, at.level);
  // Levels skip the filter, which empties these in turns.
  if (search.collect == Collect::filter && thread_in_grid() == 0) {
    search.candidate_count[0] = search.candidate_count[1] = 0;
  }
}

template <typename Advance>
__global__ void __launch_bounds__(kGunrockThreads, 2)
    gunrock_levels(const __grid_constant__ GunrockWork work, GunrockProgress at, level_t most) {
  for (; most > 0 && at.frontier > 0; --most) {
    const bool pulls = work.rules.pulls(at);
    if (pulls) {
      pull(work, at);
    } else {
      push<Advance>(work, at);
    }
    if (thread_in_grid() == 0) {
      *slot_of(work.search, at.level + 2) = LevelSlot{};
      work.unvisited.count[(at.level + 2) % kSlots] = 0;
    }
    barrier_of_grid();
    const LevelSlot* const next = slot_of(work.search, at.level + 1);
    at.advance(pulls ? next->vertices : next->queued[0], pulls);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    reset_gunrock(const __grid_constant__ GunrockWork work, vertex_t source, edge_t degree) {
  const Search& search = work.search;
  reset_statuses(search, source, degree);
  if (thread_in_grid() != 0) return;
  for (unsigned s = 0; s < kSlots; ++s) work.unvisited.count[s] = 0;
  search.slots[0].queued[0] = 1;
  search.queue[0].entries[0] = source;
  search.candidate_count[0] = search.candidate_count[1] = 0;
}

}  // namespace

GunrockKernel gunrock_kernel(const std::string& advance) {
  if (advance == "load_balanced") return &gunrock_levels<LoadBalancedExpansion>;
  if (advance == "thread_warp_cta") return &gunrock_levels<Whole<ThreadWarpCtaExpansion>>;
  throw std::invalid_argument("no advance " + advance);
}

void reset(const GunrockWork& work, vertex_t source, edge_t degree, cudaStream_t stream) {
  reset_gunrock<<<blocks_for(work.search.graph.vertices), kBlockThreads, 0, stream>>>(work, source,
                                                                                      degree);
  BFSLAB_CUDA_LAUNCHED("reset_gunrock");
}

}  // namespace bfslab::cuda
