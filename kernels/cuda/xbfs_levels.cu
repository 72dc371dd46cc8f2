// Cost of a level beside its parts' own: one launch a kernel, and two for a prefix sum (5.4 us each
// from the host on an H200, 0.5 us inside a CUDA graph).
#include "kernels/cuda/xbfs_levels.hpp"

#include <cub/device/device_scan.cuh>
#include <stdexcept>

#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/bottom_up/donation.cuh"
#include "kernels/cuda/bottom_up/static.cuh"
#include "kernels/cuda/bottom_up/thread_centric.cuh"
#include "kernels/cuda/bottom_up/warp_centric.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/expand/virtual_warp.cuh"
#include "kernels/cuda/search/streamed.cuh"
#include "kernels/cuda/xbfs_memory.hpp"
#include "kernels/cuda/xbfs_steps.cuh"

namespace bfslab::cuda {
namespace {

// As many as there can be: what waits for random memory takes no more registers than leave room.
constexpr unsigned kMostBlocks = kMostThreads / kBlockThreads;

// dfq's own: CTAs of 1,024 threads, sub-queues of 2,048 entries (papers/dfq.txt section V).
constexpr unsigned kStreamThreads = 1024;
constexpr std::uint32_t kSubQueue = 2048;
constexpr std::size_t kSubQueueBytes = kSubQueue * sizeof(std::uint32_t);

__global__ void put_source(XbfsWork work, vertex_t source) { start_at(work, source); }

template <int kClasses, bool kDoubleScan>
__global__ void __launch_bounds__(kBlockThreads) count_unvisited(XbfsWork work) {
  std::uint32_t own[kClasses] = {};
  if constexpr (kDoubleScan) {
    scan_segments<kClasses, false>(segments_of_grid(work), own, {});
  } else {
    count_wanted<kClasses>(unvisited_in_runs(work), own, nullptr);
  }
  keep_counts<kClasses>(own, work.counts);
}

template <int kClasses, bool kDoubleScan>
__global__ void __launch_bounds__(kBlockThreads) place_unvisited(XbfsWork work) {
  std::uint32_t own[kClasses];
  take_places<kClasses>(work.counts, work.offsets, own, work.bottom_up_queued);
  if constexpr (kDoubleScan) {
    scan_segments<kClasses, true>(segments_of_grid(work), own, work.bottom_up);
  } else {
    place_wanted<kClasses>(unvisited_in_runs(work), own, work.bottom_up);
  }
}

// Of the frontier `later` levels on. The next one's size is not known before.
__global__ void __launch_bounds__(kBlockThreads)
    count_frontier(XbfsWork work, LevelNumber level, unsigned later) {
  const level_t of = level.get() + later;
  std::uint32_t own[kDegreeClasses] = {};
  count_wanted<kDegreeClasses>(vertices_at(work, of), own, later > 0 ? work.slot(of) : nullptr);
  keep_counts<kDegreeClasses>(own, work.counts);
}

__global__ void __launch_bounds__(kBlockThreads)
    place_frontier(XbfsWork work, LevelNumber level, unsigned later) {
  const level_t of = level.get() + later;
  std::uint32_t own[kDegreeClasses];
  take_places<kDegreeClasses>(work.counts, work.offsets, own, work.slot(of)->queued);
  place_wanted<kDegreeClasses>(vertices_at(work, of), own, work.queue(of));
}

__global__ void __launch_bounds__(kBlockThreads)
    single_scan_next(XbfsWork work, LevelNumber level) {
  gather_next(work, level.get());
}

__global__ void __launch_bounds__(kBlockThreads) seed_early(XbfsWork work, LevelNumber level) {
  queue_early_of(work, level.get());
}

template <typename Next>
__global__ void __launch_bounds__(kBlockThreads, kMostBlocks)
    expand_degree_classes(XbfsWork work, LevelNumber level) {
  expand_queue<Next>(work, level.get());
}

template <typename Next>
__global__ void __launch_bounds__(kBlockThreads, kMostBlocks)
    expand_unfiltered(XbfsWork work, LevelNumber level) {
  expand_bottom_up_queue<Next>(work, level.get());
}

// A level whose frontier is never there as a whole: each block scans its share of the statuses into
// a queue in shared memory and drains it (papers/dfq.txt section IV). What it finds it claims, so
// that the slot has the next frontier's size, by which the level after is chosen.
__global__ void __launch_bounds__(kStreamThreads)
    stream_frontier(const __grid_constant__ Search search, LevelNumber number) {
  extern __shared__ std::uint32_t sub_queue[];
  __shared__ std::uint32_t size;
  const level_t level = number.get();
  stream_level<VirtualWarpExpansion>(search, level, sub_queue, &size);
  if (thread_in_grid() == 0) *slot_of(search, level + 3) = LevelSlot{};
}

template <typename Balance, bool kAsync, bool kCount>
__global__ void __launch_bounds__(kBlockThreads) look_at_level(XbfsWork work, LevelNumber level) {
  extern __shared__ vertex_t hub_slots[];
  look_up<Balance, kAsync, kCount>(look_of(work, level.get()), hub_slots);
}

}  // namespace

template <typename Balance>
void XbfsLevels::choose(bool async) {
  look_[0] = async ? &look_at_level<Balance, true, false> : &look_at_level<Balance, false, false>;
  look_[1] = async ? &look_at_level<Balance, true, true> : &look_at_level<Balance, false, true>;
}

XbfsLevels::XbfsLevels(const std::string& balance, bool async, bool hub_cache)
    : by_degree_(balance == "degree_classes"),
      hub_bytes_(hub_cache ? kHubSlots * sizeof(vertex_t) : 0) {
  if (balance == "static") choose<StaticBalance>(async);
  if (balance == "thread") choose<ThreadCentric>(async);
  if (balance == "warp") choose<WarpCentric>(async);
  if (balance == "donation") choose<Donation>(async);
  if (balance == "degree_classes") choose<BalanceByDegree>(async);
  if (look_[0] == nullptr) throw std::invalid_argument("no balance " + balance);
}

void XbfsLevels::allocate(std::size_t vertices, XbfsWork& work) {
  int blocks = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stream_frontier,
                                                            kStreamThreads, kSubQueueBytes));
  stream_blocks_ = static_cast<unsigned>(blocks * device().multiprocessors);
  const std::size_t counts = scan_counts(vertices);
  counts_ = DeviceBuffer<std::uint32_t>(counts);
  offsets_ = DeviceBuffer<std::uint32_t>(counts);
  std::size_t bytes = 0;
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts_.data(), offsets_.data(),
                                            static_cast<int>(counts)));
  scratch_ = DeviceBuffer<char>(bytes);
  work.counts = counts_.data();
  work.offsets = offsets_.data();
}

void XbfsLevels::find_enterable(const CsrView& incoming, std::uint32_t* enterable,
                                cudaStream_t stream) const {
  mark_enterable<<<blocks_for(incoming.vertices), kBlockThreads, 0, stream>>>(incoming, enterable);
  BFSLAB_CUDA_LAUNCHED("mark_enterable");
}

void XbfsLevels::place_source(const XbfsWork& work, vertex_t source, cudaStream_t stream) const {
  put_source<<<1, 1, 0, stream>>>(work, source);
  BFSLAB_CUDA_LAUNCHED("put_source");
}

void XbfsLevels::scan_exclusive(std::size_t count, cudaStream_t stream) const {
  std::size_t bytes = scratch_.bytes();
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, counts_.data(), offsets_.data(),
                                            static_cast<int>(count), stream));
}

// The frontier of the running level, or of the next one.
void XbfsLevels::queue_by_prefix_sum(const XbfsWork& work, LevelNumber level, unsigned later,
                                     cudaStream_t stream) const {
  const unsigned parts = ScanLayout::of_threads(work.outgoing.vertices).parts;
  const unsigned blocks = parts / kBlockThreads;
  count_frontier<<<blocks, kBlockThreads, 0, stream>>>(work, level, later);
  BFSLAB_CUDA_LAUNCHED("count_frontier");
  scan_exclusive(std::size_t{kDegreeClasses} * parts, stream);
  place_frontier<<<blocks, kBlockThreads, 0, stream>>>(work, level, later);
  BFSLAB_CUDA_LAUNCHED("place_frontier");
}

template <int kClasses>
void XbfsLevels::queue_unvisited_by(const XbfsWork& work, cudaStream_t stream) const {
  const bool twice = work.rules.double_scan;
  const vertex_t n = work.incoming.vertices;
  const unsigned parts = (twice ? ScanLayout::of_segments(n) : ScanLayout::of_threads(n)).parts;
  const unsigned blocks = parts / kBlockThreads;
  const auto count = twice ? &count_unvisited<kClasses, true> : &count_unvisited<kClasses, false>;
  const auto place = twice ? &place_unvisited<kClasses, true> : &place_unvisited<kClasses, false>;
  count<<<blocks, kBlockThreads, 0, stream>>>(work);
  BFSLAB_CUDA_LAUNCHED("count_unvisited");
  scan_exclusive(std::size_t{kClasses} * parts, stream);
  place<<<blocks, kBlockThreads, 0, stream>>>(work);
  BFSLAB_CUDA_LAUNCHED("place_unvisited");
}

// In one region or by degree.
void XbfsLevels::queue_unvisited(const XbfsWork& work, cudaStream_t stream) const {
  by_degree_ ? queue_unvisited_by<kDegreeClasses>(work, stream)
             : queue_unvisited_by<1>(work, stream);
}

void XbfsLevels::bottom_up(const XbfsWork& work, LevelNumber level, bool counts,
                           cudaStream_t stream) const {
  const BottomUpKernel kernel = look_[counts ? 1 : 0];
  kernel<<<blocks_for(work.incoming.vertices), kBlockThreads, hub_bytes_, stream>>>(work, level);
  BFSLAB_CUDA_LAUNCHED("look_at_level");
}

template <typename Next>
void XbfsLevels::expand(const XbfsWork& work, LevelNumber level, const XbfsLevel& how,
                        unsigned blocks, cudaStream_t stream) const {
  const auto kernel =
      how.takes_bottom_up_queue ? &expand_unfiltered<Next> : &expand_degree_classes<Next>;
  kernel<<<blocks, kBlockThreads, 0, stream>>>(work, level);
  BFSLAB_CUDA_LAUNCHED("expansion");
}

void XbfsLevels::expand_streamed(const XbfsWork& work, LevelNumber level,
                                 cudaStream_t stream) const {
  Search search;
  search.graph = work.outgoing;
  search.items.count = work.outgoing.vertices;
  search.levels = work.levels;
  search.parents = work.parents;
  search.slots = work.slots;
  search.counts = true;
  search.capacity = kSubQueue;
  stream_frontier<<<stream_blocks_, kStreamThreads, kSubQueueBytes, stream>>>(search, level);
  BFSLAB_CUDA_LAUNCHED("stream_frontier");
}

void XbfsLevels::top_down(const XbfsWork& work, LevelNumber level, const XbfsLevel& how,
                          unsigned blocks, cudaStream_t stream) const {
  if (how.streams) return expand_streamed(work, level, stream);
  if (how.gathers) queue_by_prefix_sum(work, level, 0, stream);
  if (how.queues_early) {
    seed_early<<<full_grid(), kBlockThreads, 0, stream>>>(work, level);
    BFSLAB_CUDA_LAUNCHED("seed_early");
  }
  if (how.queues_while_expanding) return expand<ScanFree>(work, level, how, blocks, stream);
  expand<MarkOnly>(work, level, how, blocks, stream);
  if (how.single_scans) {
    single_scan_next<<<blocks_for((work.outgoing.vertices + std::uint64_t{3}) / 4), kBlockThreads,
                       0, stream>>>(work, level);
    BFSLAB_CUDA_LAUNCHED("single_scan_next");
  } else {
    queue_by_prefix_sum(work, level, 1, stream);
  }
}

}  // namespace bfslab::cuda
