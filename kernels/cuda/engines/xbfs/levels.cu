// SPDX-License-Identifier: Apache-2.0
// The kernels of xbfs's levels. Cost of a level beside its parts' own: one launch per kernel, and
// two for a prefix sum (5.4 us each from the host on an H200, 0.5 us inside a CUDA graph).
#include "kernels/cuda/engines/xbfs/levels.hpp"

#include <cub/device/device_scan.cuh>

#include "kernels/cuda/bottom_up/balances.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/engines/xbfs/memory.hpp"
#include "kernels/cuda/engines/xbfs/steps.cuh"
#include "kernels/cuda/frontier/collector.cuh"

namespace bfslab::cuda {
namespace {

// Maximum occupancy, since these kernels wait for random memory.
constexpr unsigned kMultiprocessorBlocks = kMultiprocessorThreads / kBlockThreads;

template <int kClasses, bool kDoubleScan>
__global__ void __launch_bounds__(kBlockThreads)
    count_unvisited(const __grid_constant__ XbfsWork work) {
  std::uint32_t own[kClasses] = {};
  if constexpr (kDoubleScan) {
    scan_segments<kClasses, false>(segments_of_grid(work), own, {});
  } else {
    count_wanted<kClasses>(unvisited(work, true), own, nullptr);
  }
  keep_counts<kClasses>(own, work.counts);
}

template <int kClasses, bool kDoubleScan>
__global__ void __launch_bounds__(kBlockThreads)
    place_unvisited(const __grid_constant__ XbfsWork work) {
  std::uint32_t own[kClasses];
  take_places<kClasses>(work.counts, work.offsets, own, work.bottom_up_queued);
  if constexpr (kDoubleScan) {
    scan_segments<kClasses, true>(segments_of_grid(work), own, work.bottom_up);
  } else {
    place_wanted<kClasses>(unvisited(work, true), own, work.bottom_up);
  }
}

// Counts the frontier `later` levels on. The next one's size is not known before.
__global__ void __launch_bounds__(kBlockThreads)
    count_frontier(const __grid_constant__ XbfsWork work, LevelNumber level, unsigned later) {
  const level_t target_level = level.get() + later;
  std::uint32_t own[kDegreeClasses] = {};
  count_wanted<kDegreeClasses>(vertices_at(work, target_level), own,
                               later > 0 ? work.slot(target_level) : nullptr);
  keep_counts<kDegreeClasses>(own, work.counts);
}

__global__ void __launch_bounds__(kBlockThreads)
    place_frontier(const __grid_constant__ XbfsWork work, LevelNumber level, unsigned later) {
  const level_t target_level = level.get() + later;
  std::uint32_t own[kDegreeClasses];
  take_places<kDegreeClasses>(work.counts, work.offsets, own, work.slot(target_level)->queued);
  place_wanted<kDegreeClasses>(vertices_at(work, target_level), own, work.queue_of(target_level));
}

__global__ void __launch_bounds__(kBlockThreads)
    single_scan_next(const __grid_constant__ XbfsWork work, LevelNumber level) {
  gather_next(work, level.get());
}

__global__ void __launch_bounds__(kBlockThreads)
    seed_early(const __grid_constant__ XbfsWork work, LevelNumber number, bool by_class) {
  const level_t level = number.get();
  queue_early(work, last_bottom_up_queue(work, level), level + 1, by_class);
}

template <typename Action>
__global__ void __launch_bounds__(kBlockThreads, kMultiprocessorBlocks)
    expand_degree_classes(const __grid_constant__ XbfsWork work, LevelNumber level) {
  expand_queue<Action>(work, level.get());
  clear_ahead(work, level.get());
}

template <typename Action>
__global__ void __launch_bounds__(kBlockThreads, kMultiprocessorBlocks)
    expand_unfiltered(const __grid_constant__ XbfsWork work, LevelNumber number) {
  const level_t level = number.get();
  expand_bottom_up_queue(work, level, action_of<Action>(work, level));
  clear_ahead(work, level);
}

// The same if a search's queues take the finds.
template <bool kByClass>
__global__ void __launch_bounds__(kBlockThreads)
    expand_unfiltered_to_search(const __grid_constant__ XbfsWork work,
                                const __grid_constant__ Collecting collecting, LevelNumber number) {
  const level_t level = number.get();
  expand_bottom_up_queue(work, level, collector_of<kByClass>(work, collecting, level));
  clear_ahead(work, level);
}

template <typename Balance, bool kAsync, bool kCount>
__global__ void __launch_bounds__(kBlockThreads)
    look_at_level(const __grid_constant__ XbfsWork work, LevelNumber level) {
  extern __shared__ vertex_t hub_slots[];
  look_up<Balance, kAsync, kCount>(work, level.get(), hub_slots);
  clear_ahead(work, level.get());
}

__global__ void __launch_bounds__(kBlockThreads)
    list_all_unvisited(const __grid_constant__ XbfsWork work, LevelNumber level) {
  list_unvisited(work, work.unvisited, level.get());
}

template <bool kCount>
__global__ void __launch_bounds__(kBlockThreads)
    pull_level(const __grid_constant__ XbfsWork work, LevelNumber level) {
  Puller<true, kCount> puller(work, work.unvisited, level.get());
  puller.run();
  puller.finish();
  clear_ahead(work, level.get());
}

__global__ void __launch_bounds__(kBlockThreads)
    mark_all_statuses(const __grid_constant__ XbfsWork work, LevelNumber level) {
  mark_statuses(work, work.first_neighbors, level.get());
}

template <bool kCount>
__global__ void __launch_bounds__(kBlockThreads)
    look_at_first_neighbors(const __grid_constant__ XbfsWork work, LevelNumber level) {
  FirstNeighborsLevel<kBlockThreads / 32, kCount>(work, work.first_neighbors, level.get()).run();
  clear_ahead(work, level.get());
}

// Returns a search for the top-down levels: DFQ's own setting of CTAs; hierarchical queues have the
// capacity that the shared memory of the paper's GPU allowed.
TopDownSettings search_of(Frontier frontier, const ExpansionPart& expand) {
  TopDownSettings search{.frontier = frontier, .expand = &expand};
  if (frontier.queue == Queue::hierarchical) search.capacity = 16'384;
  return search;
}

}  // namespace

XbfsLevels::XbfsLevels(const XbfsSettings& settings) : settings_(settings) {
  with_balance(settings.balance, [&]<typename Balance>() {
    const bool async = settings.rules.async;
    if constexpr (std::is_same_v<Balance, ByList>) {
      look_[0] = &pull_level<false>;
      look_[1] = &pull_level<true>;
    } else if constexpr (std::is_same_v<Balance, ByFirstNeighbors>) {
      look_[0] = &look_at_first_neighbors<false>;
      look_[1] = &look_at_first_neighbors<true>;
    } else {
      look_[0] =
          async ? &look_at_level<Balance, true, false> : &look_at_level<Balance, false, false>;
      look_[1] = async ? &look_at_level<Balance, true, true> : &look_at_level<Balance, false, true>;
    }
  });
  if (settings.rules.bins || settings.class_kernels) steps_ = std::make_unique<ClassSteps>();
  if (!settings.rules.searches) return;
  const Queue queue = settings.rules.queue;
  const ExpansionPart& expand = *settings.expand;
  if (queue != Queue::decentralized) {
    const Queue whole = queue == Queue::adaptive ? Queue::central : queue;
    queued_ = std::make_unique<PreparedTopDown>(search_of({whole, Collect::scan_free}, expand));
  }
  if (queue == Queue::decentralized || queue == Queue::adaptive) {
    const bool streams_it = is_sound(expand.takes, Queue::decentralized);
    streamed_ = std::make_unique<PreparedTopDown>(
        search_of({Queue::decentralized}, streams_it ? expand : expansion("thread_warp_cta")));
  }
}

void XbfsLevels::choose_grids() {
  for (const auto& parts : {queued_.get(), streamed_.get()}) {
    if (parts != nullptr) parts->choose_grid();
  }
}

void XbfsLevels::allocate(const CsrGraph& graph, XbfsWork& work, const Stream& stream) {
  const std::size_t counts = scan_counts(graph.vertex_count(), settings_.rules.bins);
  counts_ = DeviceBuffer<std::uint32_t>(counts);
  offsets_ = DeviceBuffer<std::uint32_t>(counts);
  std::size_t bytes = 0;
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts_.data(), offsets_.data(),
                                            static_cast<int>(counts)));
  scratch_ = DeviceBuffer<char>(bytes);
  work.counts = counts_.data();
  work.offsets = offsets_.data();
  if (steps_) steps_->allocate(settings_.rules.bins ? graph.vertex_count() : 0);
  for (const auto& parts : {queued_.get(), streamed_.get()}) {
    if (parts != nullptr) parts->allocate(graph, work, false, stream);
  }
}

void XbfsLevels::add_memory(MemoryUse& use) const {
  use.scratch += counts_.bytes() + offsets_.bytes() + scratch_.bytes();
  if (steps_) steps_->add_memory(use);
  for (const auto& parts : {queued_.get(), streamed_.get()}) {
    if (parts != nullptr) parts->add_memory(use);
  }
}

PreparedTopDown::ResetExtra XbfsLevels::reset_extra() const {
  return queued_ ? queued_->reset_extra() : PreparedTopDown::ResetExtra{};
}

PreparedTopDown* XbfsLevels::overflowing() const {
  return queued_ && queued_->may_overflow() ? queued_.get() : nullptr;
}

void XbfsLevels::find_enterable(const CsrView& incoming, std::uint32_t* enterable,
                                cudaStream_t stream) const {
  BFSLAB_LAUNCH(mark_enterable, blocks_for(incoming.vertices), stream, incoming, enterable);
}

void XbfsLevels::scan_exclusive(std::size_t count, cudaStream_t stream) {
  kernels_ += 2;
  std::size_t bytes = scratch_.bytes();
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, counts_.data(), offsets_.data(),
                                            static_cast<int>(count), stream));
}

// Queues the frontier of the running level, or of the next one.
void XbfsLevels::queue_by_prefix_sum(const XbfsWork& work, LevelNumber level, unsigned later,
                                     cudaStream_t stream) {
  if (work.rules.bins) {
    kernels_ += steps_->queue_frontier(work, level.given, later, stream);
    return;
  }
  kernels_ += 2;
  const unsigned parts = ScanLayout::of_threads(work.outgoing.vertices).parts;
  const unsigned blocks = parts / kBlockThreads;
  BFSLAB_LAUNCH(count_frontier, blocks, stream, work, level, later);
  scan_exclusive(std::size_t{kDegreeClasses} * parts, stream);
  BFSLAB_LAUNCH(place_frontier, blocks, stream, work, level, later);
}

template <int kClasses>
void XbfsLevels::queue_unvisited_by(const XbfsWork& work, cudaStream_t stream) {
  kernels_ += 2;
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

// Queues the unvisited as a list or as bits, which levels shorten, in one region, or by degree.
void XbfsLevels::queue_unvisited(const XbfsWork& work, LevelNumber level,
                                 const XbfsLevel& level_rule, cudaStream_t stream) {
  if (settings_.by_list()) {
    if (level_rule.continues) return;
    BFSLAB_LAUNCH(list_all_unvisited, blocks_for((work.incoming.vertices + std::uint64_t{7}) / 8),
                  stream, work, level);
    ++kernels_;
  } else if (settings_.by_first()) {
    if (level_rule.continues) return;
    BFSLAB_LAUNCH(mark_all_statuses, blocks_for(work.incoming.vertices), stream, work, level);
    ++kernels_;
  } else if (work.rules.bins && !work.rules.double_scan) {
    kernels_ += steps_->queue_unvisited(work, !level_rule.continues, stream);
  } else if (work.bottom_up_classes > 1) {
    queue_unvisited_by<kDegreeClasses>(work, stream);
  } else {
    queue_unvisited_by<1>(work, stream);
  }
}

void XbfsLevels::bottom_up(const XbfsWork& work, LevelNumber level, bool counts,
                           cudaStream_t stream) {
  if (settings_.class_kernels && settings_.balance == BalanceBy::degrees) {
    kernels_ += steps_->look(work, level, counts, stream);
    return;
  }
  const LevelKernel kernel = look_[counts ? 1 : 0];
  const std::size_t hub_bytes = settings_.hub_cache ? kHubSlots * sizeof(vertex_t) : 0;
  kernel<<<blocks_for(work.incoming.vertices), kBlockThreads, hub_bytes, stream>>>(work, level);
  BFSLAB_CUDA_LAUNCHED("look_at_level");
  ++kernels_;
}

void XbfsLevels::search_level(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                              unsigned blocks, cudaStream_t stream) const {
  const PreparedTopDown& parts = level_rule.streams ? *streamed_ : *queued_;
  TopDown search = parts.search();
  search.collecting.counts = true;  // the rule needs the next frontier's size
  search.collecting.on_found =
      level_rule.queues_while_expanding ? OnFound::queued : OnFound::marked;
  if (level_rule.takes_bottom_up_queue) {
    const auto kernel = settings_.by_class() ? &expand_unfiltered_to_search<true>
                                             : &expand_unfiltered_to_search<false>;
    kernel<<<blocks, kBlockThreads, 0, stream>>>(work, search.collecting, level);
    BFSLAB_CUDA_LAUNCHED("expand_unfiltered_to_search");
    return;
  }
  search.gather = level_rule.gathers_by_single_scan ? Gather::single_scan
                  : level_rule.gathers              ? Gather::prefix_sum
                                                    : Gather::nothing;
  parts.launch(search, level, 1, stream);
}

void XbfsLevels::expand(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                        unsigned blocks, cudaStream_t stream) {
  if (settings_.class_kernels && !level_rule.takes_bottom_up_queue) {
    kernels_ += steps_->expand(work, level, level_rule.queues_while_expanding, stream);
    return;
  }
  const auto unfiltered = level_rule.queues_while_expanding ? &expand_unfiltered<QueueByClass>
                                                            : &expand_unfiltered<Mark>;
  const auto queued = level_rule.queues_while_expanding ? &expand_degree_classes<QueueByClass>
                                                        : &expand_degree_classes<Mark>;
  const auto kernel = level_rule.takes_bottom_up_queue ? unfiltered : queued;
  kernel<<<blocks, kBlockThreads, 0, stream>>>(work, level);
  BFSLAB_CUDA_LAUNCHED("expansion");
  ++kernels_;
}

// Enterprise scans for the source, too, though the reset has queued it.
void XbfsLevels::top_down(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                          unsigned blocks, cudaStream_t stream) {
  const bool scans_for_source = work.rules.bins && level_rule.gathers_next && level.given == 0;
  if ((level_rule.gathers || scans_for_source) && !work.rules.searches) {
    queue_by_prefix_sum(work, level, 0, stream);
  }
  if (level_rule.queues_early) {
    BFSLAB_LAUNCH(seed_early, full_grid(), stream, work, level, settings_.by_class());
    ++kernels_;
  }
  if (work.rules.searches) return search_level(work, level, level_rule, blocks, stream);
  expand(work, level, level_rule, blocks, stream);
  if (level_rule.single_scans) {
    BFSLAB_LAUNCH(single_scan_next, blocks_for((work.outgoing.vertices + std::uint64_t{3}) / 4),
                  stream, work, level);
    ++kernels_;
  } else if (level_rule.gathers_next) {
    queue_by_prefix_sum(work, level, 1, stream);
  }
}

}  // namespace bfslab::cuda
