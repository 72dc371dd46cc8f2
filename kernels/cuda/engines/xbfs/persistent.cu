// SPDX-License-Identifier: Apache-2.0
// xbfs's level loop on the GPU: one cooperative kernel runs all levels, with barriers of the grid
// where the host-driven loop launches kernels. Rules (rules.hpp) and parts are the same.
//
// Cost beside the levels' own work: 2 to 4 barriers per level (1.0 to 1.3 us each on an H200),
// where the host pays 17 us for a launch with a read-back and 5 us for every further launch.
//
// All parts share one kernel's registers, and their number limits how many threads wait for memory
// at once. With 64 per thread (1,024 threads per multiprocessor) this kernel lost to the host's
// loop at scale 24, whose bottom-up takes 32 (2,048 threads). It is limited to 40 (1,536 threads),
// for which 16 to 64 bytes per thread lie in local memory. For the same reason a block keeps the
// progress in shared memory, from the slot that one of its threads reads after a barrier, and not
// in each thread's registers. With blocks of 384 threads, a barrier waits for no more blocks than
// with 256 and 64 registers.
#include <algorithm>
#include <limits>
#include <new>

#include "kernels/cuda/bottom_up/balances.cuh"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/engines/xbfs/memory.hpp"
#include "kernels/cuda/engines/xbfs/persistent.hpp"
#include "kernels/cuda/engines/xbfs/steps.cuh"
#include "kernels/cuda/traversal/one_kernel.cuh"

namespace bfslab::cuda {
namespace {

constexpr unsigned kThreads = 384;
constexpr unsigned kBlocksAMultiprocessor = std::min(4U, kMultiprocessorThreads / kThreads);

// The queue is complete for all threads afterwards. `tally`: the level's size is not yet known.
__device__ void queue_by_prefix_sum(const XbfsWork& work, level_t level, bool tally) {
  LevelSlot* const slot = work.slot(level);
  gather_by_prefix_sum<kDegreeClasses>(vertices_at(work, level), work.offsets, work.queue_of(level),
                                       slot->queued, tally ? slot : nullptr);
  barrier_of_grid();
}

template <int kClasses>
__device__ void queue_unvisited(const XbfsWork& work) {
  if (work.rules.double_scan) {
    const DoubleScan scan = segments_of_grid(work);
    std::uint32_t own[kClasses] = {};
    scan_segments<kClasses, false>(scan, own, work.bottom_up);
    exclusive_of_grid<kClasses>(own, work.offsets, work.bottom_up_queued);
    scan_segments<kClasses, true>(scan, own, work.bottom_up);
  } else {
    gather_by_prefix_sum<kClasses>(unvisited(work, true), work.offsets, work.bottom_up,
                                   work.bottom_up_queued, nullptr);
  }
  barrier_of_grid();
}

__device__ void note_frontier(const XbfsWork& work, level_t level) {
  if (thread_in_grid() == 0) work.log.frontier_is_there(level);
}

template <typename Balance, bool kAsync>
__device__ void run_bottom_up(const XbfsWork& work, level_t level, const XbfsLevel& level_rule,
                              vertex_t* hub_slots) {
  if constexpr (std::is_same_v<Balance, ByList>) {
    if (!level_rule.continues) {
      list_unvisited(work, work.unvisited, level);
      barrier_of_grid();
    }
    note_frontier(work, level);
    Puller<true, false> puller(work, work.unvisited, level);
    puller.run();
    puller.finish();
  } else if constexpr (std::is_same_v<Balance, ByFirstNeighbors>) {
    if (!level_rule.continues) {
      mark_statuses(work, work.first_neighbors, level);
      barrier_of_grid();
    }
    note_frontier(work, level);
    FirstNeighborsLevel<kThreads / 32, false>(work, work.first_neighbors, level).run();
  } else {
    constexpr int kClasses = std::is_same_v<Balance, BalanceByDegree> ? kDegreeClasses : 1;
    queue_unvisited<kClasses>(work);
    note_frontier(work, level);
    look_up<Balance, kAsync, false>(work, level, hub_slots);
  }
}

template <typename Action>
__device__ void expand(const XbfsWork& work, level_t level, const XbfsLevel& level_rule) {
  if (level_rule.takes_bottom_up_queue) {
    expand_bottom_up_queue(work, level, action_of<Action>(work, level));
  } else {
    expand_queue<Action>(work, level);
  }
}

__device__ void run_top_down(const XbfsWork& work, level_t level, const XbfsLevel& level_rule) {
  if (level_rule.gathers) queue_by_prefix_sum(work, level, false);
  if (level_rule.queues_early) {
    queue_early(work, last_bottom_up_queue(work, level), level + 1, true);
    barrier_of_grid();
  }
  if (level_rule.queues_while_expanding) return expand<QueueByClass>(work, level, level_rule);
  expand<Mark>(work, level, level_rule);
  barrier_of_grid();
  if (level_rule.single_scans) {
    gather_next(work, level);
  } else {
    queue_by_prefix_sum(work, level + 1, true);
  }
}

template <typename Balance, bool kAsync>
__global__ void __launch_bounds__(kThreads, kBlocksAMultiprocessor)
    persistent_xbfs(const __grid_constant__ XbfsWork work) {
  extern __shared__ vertex_t hub_slots[];
  alignas(Progress) __shared__ unsigned char of_block[sizeof(Progress)];
  auto& at = *reinterpret_cast<Progress*>(of_block);
  if (threadIdx.x == 0) {
    new (of_block) Progress;
    at.edges = at.all_edges = work.slot(0)->edges;
  }
  __syncthreads();
  const auto run = [&](level_t level) {
    const unsigned kind = work.rules.kind(at);
    const XbfsLevel level_rule = work.rules.level_of(kind);
    if (thread_in_grid() == 0) work.log.level_is(level, kind);
    if (level_rule.up) {
      run_bottom_up<Balance, kAsync>(work, level, level_rule, hub_slots);
    } else {
      run_top_down(work, level, level_rule);
    }
    return true;
  };
  // The slot that is read here is not written until it is cleared, seven levels on.
  run_levels(work, 0, std::numeric_limits<level_t>::max(), run, [&](level_t) {
    if (threadIdx.x == 0) work.close(at, work.rules.kind(at));
    __syncthreads();
    return at.frontier == 0;
  });
}

}  // namespace

PersistentKernel persistent_kernel(BalanceBy balance, bool async, bool hub_cache) {
  PersistentKernel chosen;
  with_balance(balance, [&]<typename Balance>() {
    chosen.kernel = &persistent_xbfs<Balance, false>;
    if constexpr (!kKeepsBits<Balance>) {
      if (async) chosen.kernel = &persistent_xbfs<Balance, true>;
    }
  });
  chosen.threads = kThreads;
  chosen.shared_bytes = hub_cache ? kHubSlots * sizeof(vertex_t) : 0;
  chosen.blocks = std::min(blocks_at_once(chosen.kernel, chosen.threads, chosen.shared_bytes),
                           kMaxPersistentBlocks);
  return chosen;
}

}  // namespace bfslab::cuda
