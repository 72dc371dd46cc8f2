// xbfs's level loop on the GPU: one cooperative kernel goes through all levels, with barriers of
// the grid where the host-driven loop launches kernels, and decides each level by the same rules
// (xbfs_rules.hpp) over the same parts.
//
// Cost beside the levels' own work: 2 to 4 barriers a level (1.0 to 1.3 us each on an H200), where
// the host pays 17 us for a launch with a read-back and 3 us for every further launch. Its
// registers are those of its hungriest part, so fewer threads run at once than in a kernel a part.
//
// Every thread keeps the progress itself, from the slots that all read behind a barrier.
#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/bottom_up/bottom_up.cuh"
#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/bottom_up/donation.cuh"
#include "kernels/cuda/bottom_up/static.cuh"
#include "kernels/cuda/bottom_up/thread_centric.cuh"
#include "kernels/cuda/bottom_up/warp_centric.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/expand/degree_classes.cuh"
#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/grid_scan.cuh"
#include "kernels/cuda/frontier/no_generation.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/scan_free.cuh"
#include "kernels/cuda/frontier/scan_layout.hpp"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/xbfs_persistent.hpp"

namespace bfslab::cuda {
namespace {

constexpr int kThreads = 256;

__device__ void barrier() {
  stress_pause();
  cooperative_groups::this_grid().sync();
  stress_pause();
}

__device__ LevelSlot* slot_of(const PersistentXbfs& work, level_t level) {
  return work.slots + level % kSlots;
}

// Behind it the queue is there for all.
__device__ void queue_by_prefix_sum(const PersistentXbfs& work, level_t wanted,
                                    const QueueView& queue, LevelSlot* slot, bool tally) {
  const PrefixScan scan{work.levels, wanted, work.outgoing, false, nullptr, nullptr};
  std::uint32_t own[kDegreeClasses] = {};
  count_wanted<kDegreeClasses>(scan, own, tally ? slot : nullptr);
  exclusive_of_grid<kDegreeClasses>(own, work.sums, slot->queued);
  place_wanted<kDegreeClasses>(scan, own, queue);
  barrier();
}

template <int kClasses>
__device__ void queue_unvisited(const PersistentXbfs& work) {
  std::uint32_t own[kClasses] = {};
  if (work.rules.double_scan) {
    const std::uint32_t segment = ScanLayout::segment_of(work.incoming.vertices, threads_in_grid());
    const DoubleScan scan{work.levels, work.enterable, work.incoming, segment, nullptr, nullptr};
    scan_segments<kClasses, false>(scan, own, work.bottom_up);
    exclusive_of_grid<kClasses>(own, work.sums, work.bottom_up_queued);
    scan_segments<kClasses, true>(scan, own, work.bottom_up);
  } else {
    const PrefixScan scan{work.levels, kUnreached, work.incoming, true, nullptr, nullptr};
    count_wanted<kClasses>(scan, own, nullptr);
    exclusive_of_grid<kClasses>(own, work.sums, work.bottom_up_queued);
    place_wanted<kClasses>(scan, own, work.bottom_up);
  }
  barrier();
}

template <typename Balance, bool kAsync>
__device__ void run_bottom_up(const PersistentXbfs& work, level_t level, vertex_t* hub_slots) {
  constexpr int kClasses = std::is_same_v<Balance, BalanceByDegree> ? kDegreeClasses : 1;
  queue_unvisited<kClasses>(work);
  const BottomUp look{work.incoming,
                      work.outgoing,
                      work.bottom_up,
                      work.bottom_up_queued,
                      work.levels,
                      work.parents,
                      level,
                      slot_of(work, level + 1),
                      slot_of(work, level + 2),
                      slot_of(work, level + 3),
                      work.hubs,
                      work.hub_count};
  Looker<kAsync, false> looker{look, fill_hub_cache(look, hub_slots)};
  Balance::run(look, looker);
  looker.finish();
}

template <typename Next>
__device__ void expand(const PersistentXbfs& work, const XbfsProgress& at, const Next& next) {
  LevelSlot* const cleared = slot_of(work, at.level + 3);
  if (work.rules.takes_bottom_up_queue(at)) {
    expand_reached(work.outgoing, work.bottom_up, work.bottom_up_queued, work.levels, at.level,
                   cleared, next);
  } else {
    expand_by_class(work.outgoing, work.frontier[at.level % 2], slot_of(work, at.level), cleared,
                    next);
  }
}

// True if a scan gathered the next frontier, early finds among it.
__device__ bool run_top_down(const PersistentXbfs& work, const XbfsProgress& at) {
  LevelSlot* const next = slot_of(work, at.level + 1);
  const QueueView& queue = work.frontier[(at.level + 1) % 2];
  const Visit visit{work.levels, work.parents, at.level + 1};
  if (work.rules.gathers_frontier(at)) {
    queue_by_prefix_sum(work, at.level, work.frontier[at.level % 2], slot_of(work, at.level),
                        false);
  }
  if (work.rules.queues_while_expanding(at)) {
    if (at.was_bottom_up && work.rules.async) {
      queue_early(work.outgoing, work.bottom_up, work.bottom_up_queued, work.levels, at.level + 1,
                  queue, next);
      barrier();
    }
    expand(work, at, ScanFree{visit, queue, next});
    return false;
  }
  expand(work, at, MarkOnly{visit});
  barrier();
  if (work.rules.single_scans(at)) {
    gather_level(work.outgoing, work.levels, at.level + 1, queue, next);
  } else {
    queue_by_prefix_sum(work, at.level + 1, queue, next, true);
  }
  return true;
}

template <typename Balance, bool kAsync>
__global__ void __launch_bounds__(kThreads, 4) persistent_xbfs(PersistentXbfs work) {
  extern __shared__ vertex_t hub_slots[];
  XbfsProgress at;
  at.edges = work.source_edges;
  at.all_edges = at.edges;
  while (at.frontier > 0) {
    const bool up = work.rules.goes_up(at);
    bool gathered = false;
    if (up) {
      run_bottom_up<Balance, kAsync>(work, at.level, hub_slots);
    } else {
      gathered = run_top_down(work, at);
    }
    barrier();
    // Nobody writes this slot before the next barrier but two: it is cleared two levels on.
    const LevelSlot* const next = slot_of(work, at.level + 1);
    const std::uint64_t early = gathered ? 0 : next->early_vertices;
    const std::uint64_t early_edges = gathered ? 0 : next->early_edges;
    at.advance(next->vertices + early, next->edges + early_edges, up);
  }
}

template <typename Balance>
void (*kernel_of(bool async))(PersistentXbfs) {
  return async ? &persistent_xbfs<Balance, true> : &persistent_xbfs<Balance, false>;
}

}  // namespace

PersistentKernel persistent_kernel(const std::string& balance, bool async, bool hub_cache) {
  PersistentKernel chosen;
  if (balance == "static") chosen.kernel = kernel_of<StaticBalance>(async);
  if (balance == "thread") chosen.kernel = kernel_of<ThreadCentric>(async);
  if (balance == "warp") chosen.kernel = kernel_of<WarpCentric>(async);
  if (balance == "donation") chosen.kernel = kernel_of<Donation>(async);
  if (balance == "degree_classes") chosen.kernel = kernel_of<BalanceByDegree>(async);
  if (chosen.kernel == nullptr) throw std::invalid_argument("no balance " + balance);
  chosen.shared_bytes = hub_cache ? kHubSlots * sizeof(vertex_t) : 0;
  int blocks = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, chosen.kernel, kThreads,
                                                            chosen.shared_bytes));
  chosen.blocks =
      std::min(static_cast<unsigned>(blocks * device().multiprocessors), kMostPersistentBlocks);
  return chosen;
}

void launch(const PersistentKernel& kernel, const PersistentXbfs& work, cudaStream_t stream) {
  PersistentXbfs argument = work;
  void* arguments[] = {&argument};
  BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel.kernel),
                                          dim3(kernel.blocks), dim3(kThreads), arguments,
                                          kernel.shared_bytes, stream));
}

}  // namespace bfslab::cuda
