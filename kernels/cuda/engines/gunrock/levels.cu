// SPDX-License-Identifier: Apache-2.0
// gunrock's levels: one cooperative kernel, launched once per level or once per traversal. A
// barrier of the grid stands where Gunrock ends one operator's kernel and begins the next one's.
#include "kernels/cuda/engines/gunrock/levels.hpp"

#include <bfslab/expansions.cuh>
#include <stdexcept>

#include "kernels/cuda/bottom_up/unvisited_list.cuh"
#include "kernels/cuda/frontier/collector.cuh"
#include "kernels/cuda/frontier/filter.cuh"
#include "kernels/cuda/traversal/one_kernel.cuh"

namespace bfslab::cuda {
namespace {

// Advances from this level's queue, and filters into the next one's.
template <Expansion Advance>
__device__ void push(const GunrockWork& work, const Progress& at) {
  if (at.was_bottom_up) {
    queue_frontier(work, work.unvisited, at.level);
    barrier_of_grid();
  }
  auto action = collector_of<false>(work, work.collecting, at.level);
  share_out(Advance(work.expansion), VertexRows{work.outgoing}, work.queue_of(at.level),
            work.slot(at.level)->queued, action);
  action.finish();
  if (work.collecting.on_found != OnFound::listed) return;
  barrier_of_grid();
  filter_candidates(work, work.collecting.candidates, at.level + 1, {});
}

template <bool kCounts>
__device__ void pull(const GunrockWork& work, const Progress& at) {
  if (!at.was_bottom_up) {
    list_unvisited(work, work.unvisited, at.level);
    barrier_of_grid();
  }
  Puller<kCounts, kCounts> puller(work, work.unvisited, at.level);
  puller.run();
  puller.finish();
}

template <Expansion Advance, bool kCounts>
__global__ void __launch_bounds__(kGunrockThreads, 2)
    gunrock_levels(const __grid_constant__ GunrockWork work, Progress at, level_t most) {
  bool pulls = false;
  const auto run = [&](level_t) {
    if (at.frontier == 0) return false;
    pulls = work.rules.pulls(at);
    if (pulls) {
      pull<kCounts>(work, at);
    } else {
      push<Advance>(work, at);
    }
    return true;
  };
  run_levels(work, at.level, most, run, [&](level_t level) {
    const LevelSlot* const next = work.slot(level + 1);
    at.advance(pulls ? next->vertices : next->queued[0], 0, pulls);
    return false;
  });
}

template <Expansion Advance>
GunrockKernel kernel_of(bool counts) {
  return counts ? &gunrock_levels<Advance, true> : &gunrock_levels<Advance, false>;
}

}  // namespace

GunrockKernel gunrock_kernel(const ExpansionPart& advance, bool counts) {
  GunrockKernel kernel = nullptr;
  for_each_expansion([&]<Expansion Advance>() {
    if constexpr (Advance::kPart.traits.gunrock_filter != nullptr) {
      if (&Advance::kPart == &advance) kernel = kernel_of<Advance>(counts);
    }
  });
  if (kernel == nullptr) throw std::invalid_argument(std::string("no advance ") + advance.name);
  return kernel;
}

}  // namespace bfslab::cuda
