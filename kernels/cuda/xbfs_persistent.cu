// xbfs's level loop on the GPU: one cooperative kernel goes through all levels, with barriers of
// the grid where the host-driven loop launches kernels, and decides each level by the same rules
// (xbfs_rules.hpp) over the same parts.
//
// Cost beside the levels' own work: 2 to 4 barriers a level (1.0 to 1.3 us each on an H200), where
// the host pays 17 us for a launch with a read-back and 5 us for every further launch.
//
// All parts share one kernel's registers, and their number says how many threads wait for memory
// side by side: with 64 a thread (1,024 threads a multiprocessor) this kernel lost to the host's
// loop at scale 24, whose bottom-up takes 32 (2,048 threads). It is held to 40 (1,536 threads), for
// which 0 to 96 bytes a thread are spilled. To the same end a block keeps the progress in shared
// memory, from the slot that one of its threads reads behind a barrier, and not each thread in
// registers. Blocks of 384 threads: a barrier waits for no more of them than with 256 and 64
// registers.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/bottom_up/donation.cuh"
#include "kernels/cuda/bottom_up/static.cuh"
#include "kernels/cuda/bottom_up/thread_centric.cuh"
#include "kernels/cuda/bottom_up/warp_centric.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/frontier/grid_scan.cuh"
#include "kernels/cuda/xbfs_memory.hpp"
#include "kernels/cuda/xbfs_persistent.hpp"
#include "kernels/cuda/xbfs_steps.cuh"

namespace bfslab::cuda {
namespace {

constexpr unsigned kThreads = 384;
constexpr unsigned kBlocksAMultiprocessor = std::min(4U, kMostThreads / kThreads);

__device__ void barrier() {
  stress_pause();
  cooperative_groups::this_grid().sync();
  stress_pause();
}

// Behind it the queue is there for all. `tally`: the level's size is not known yet.
__device__ void queue_by_prefix_sum(const XbfsWork& work, level_t level, bool tally) {
  const PrefixScan scan = vertices_at(work, level);
  LevelSlot* const slot = work.slot(level);
  std::uint32_t own[kDegreeClasses] = {};
  count_wanted<kDegreeClasses>(scan, own, tally ? slot : nullptr);
  exclusive_of_grid<kDegreeClasses>(own, work.offsets, slot->queued);
  place_wanted<kDegreeClasses>(scan, own, work.queue(level));
  barrier();
}

template <int kClasses>
__device__ void queue_unvisited(const XbfsWork& work) {
  std::uint32_t own[kClasses] = {};
  if (work.rules.double_scan) {
    const DoubleScan scan = segments_of_grid(work);
    scan_segments<kClasses, false>(scan, own, work.bottom_up);
    exclusive_of_grid<kClasses>(own, work.offsets, work.bottom_up_queued);
    scan_segments<kClasses, true>(scan, own, work.bottom_up);
  } else {
    const PrefixScan scan = unvisited_in_runs(work);
    count_wanted<kClasses>(scan, own, nullptr);
    exclusive_of_grid<kClasses>(own, work.offsets, work.bottom_up_queued);
    place_wanted<kClasses>(scan, own, work.bottom_up);
  }
  barrier();
}

template <typename Next>
__device__ void expand(const XbfsWork& work, level_t level, const XbfsLevel& how) {
  if (how.takes_bottom_up_queue) {
    expand_bottom_up_queue<Next>(work, level);
  } else {
    expand_queue<Next>(work, level);
  }
}

__device__ void run_top_down(const XbfsWork& work, level_t level, const XbfsLevel& how) {
  if (how.gathers) queue_by_prefix_sum(work, level, false);
  if (how.queues_early) {
    queue_early_of(work, level);
    barrier();
  }
  if (how.queues_while_expanding) return expand<ScanFree>(work, level, how);
  expand<MarkOnly>(work, level, how);
  barrier();
  if (how.single_scans) {
    gather_next(work, level);
  } else {
    queue_by_prefix_sum(work, level + 1, true);
  }
}

template <typename Balance, bool kAsync>
__global__ void __launch_bounds__(kThreads, kBlocksAMultiprocessor) persistent_xbfs(XbfsWork work) {
  constexpr int kClasses = std::is_same_v<Balance, BalanceByDegree> ? kDegreeClasses : 1;
  extern __shared__ vertex_t hub_slots[];
  alignas(XbfsProgress) __shared__ unsigned char of_block[sizeof(XbfsProgress)];
  auto& at = *reinterpret_cast<XbfsProgress*>(of_block);
  if (threadIdx.x == 0) {
    new (of_block) XbfsProgress;
    at.edges = at.all_edges = work.slot(0)->edges;
  }
  __syncthreads();
  while (at.frontier > 0) {
    const XbfsLevel how = work.rules.level_of(work.rules.kind(at));
    if (how.up) {
      queue_unvisited<kClasses>(work);
      look_up<Balance, kAsync, false>(look_of(work, at.level), hub_slots);
    } else {
      run_top_down(work, at.level, how);
    }
    barrier();
    // Nobody writes this slot before the next barrier but two: it is cleared two levels on.
    if (threadIdx.x == 0) {
      end_level(at, work.rules.level_of(work.rules.kind(at)), *work.slot(at.level + 1));
    }
    __syncthreads();
  }
}

template <typename Balance>
void (*kernel_of(bool async))(XbfsWork) {
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

void launch(const PersistentKernel& kernel, const XbfsWork& work, cudaStream_t stream) {
  XbfsWork argument = work;
  void* arguments[] = {&argument};
  BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel.kernel),
                                          dim3(kernel.blocks), dim3(kThreads), arguments,
                                          kernel.shared_bytes, stream));
}

}  // namespace bfslab::cuda
