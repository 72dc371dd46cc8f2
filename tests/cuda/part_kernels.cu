// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/part_kernels.hpp"

#include <algorithm>
#include <bfslab/expansions.cuh>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/bottom_up/balances.cuh"
#include "kernels/cuda/bottom_up/first_neighbors_level.cuh"
#include "kernels/cuda/bottom_up/unvisited_list.cuh"
#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/frontier/bins.cuh"
#include "kernels/cuda/frontier/decentralized.cuh"
#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/hierarchical.cuh"
#include "kernels/cuda/frontier/no_generation.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/traversal/counted_scan.cuh"
#include "kernels/cuda/traversal/scan_layout.hpp"

namespace bfslab::tests {
namespace {

using cuda::kDegreeClasses;

constexpr unsigned kMaxBlockThreads = 1024;

template <typename... Parameters>
void run(void (*kernel)(Parameters...), Grid grid, std::size_t shared_bytes,
         std::type_identity_t<Parameters>... arguments) {
  cuda::CooperativeKernel<Parameters...>{kernel, grid.blocks, grid.threads, shared_bytes}.launch(
      nullptr, arguments...);
  BFSLAB_CUDA(cudaDeviceSynchronize());
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    sum_blocks(const std::uint32_t* values, std::uint32_t* before, std::uint32_t* totals) {
  const unsigned t = cuda::thread_in_grid();
  std::uint32_t total = 0;
  before[t] = cuda::exclusive_of_block(values[t], total);
  totals[t] = total;
}

template <int kClasses>
__global__ void __launch_bounds__(kMaxBlockThreads)
    sum_grid(std::uint32_t* of_threads, std::uint32_t* sums, std::uint32_t* totals) {
  std::uint32_t own[kClasses];
  for (int c = 0; c < kClasses; ++c) {
    own[c] = of_threads[c * cuda::threads_in_grid() + cuda::thread_in_grid()];
  }
  cuda::exclusive_of_grid<kClasses>(own, sums, totals);
  for (int c = 0; c < kClasses; ++c) {
    of_threads[c * cuda::threads_in_grid() + cuda::thread_in_grid()] = own[c];
  }
}

// Twice in a row, as engines do: what the first leaves in shared memory is the second's to clear.
__global__ void __launch_bounds__(kMaxBlockThreads)
    add_blocks(const unsigned long long* values, unsigned long long* total) {
  const unsigned long long value = values[cuda::thread_in_grid()];
  cuda::add_of_block(value / 2, total);
  cuda::add_of_block(value - value / 2, total);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    append_numbers(AppendBy by, const std::uint32_t* times, std::uint32_t* count,
                   std::uint32_t* list) {
  const unsigned t = cuda::thread_in_grid();
  const std::uint32_t mine = times[t];
  if (by == AppendBy::places_of_warp) {
    const std::uint32_t place = cuda::places_of_warp(count, mine);
    for (std::uint32_t i = 0; i < mine; ++i) list[place + i] = t;
    return;
  }
  for (std::uint32_t i = 0; i < mine; ++i) {
    list[cuda::append_place(count, by == AppendBy::place_a_lane)] = t;
  }
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    enqueue_vertices(cuda::CsrView graph, cuda::QueueView queue, std::uint32_t* queued,
                     const vertex_t* vertices, cuda::EnqueueBy by) {
  const vertex_t v = vertices[cuda::thread_in_grid()];
  if (v != kNoVertex) cuda::enqueue(graph, queue, queued, v, by);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    scan(const __grid_constant__ Scanned of, std::uint32_t* seen) {
  cuda::ItemScan scan(of.items, of.levels, of.level);
  for (cuda::Tile tile; scan.next(tile);) {
    while (tile.mask != 0) atomicAdd(&seen[min(tile.take(), of.items.count)], 1U);
  }
}

__device__ cuda::PrefixScan scan_of(const Gathering& of, bool in_runs, bool edgeless = false) {
  return {.levels = of.levels,
          .wanted = of.level,
          .graph = of.graph,
          .in_runs = in_runs,
          .edgeless = edgeless};
}

template <int kClasses>
__device__ void gather_sums(const Gathering& of, const cuda::PrefixScan& scan) {
  cuda::gather_by_prefix_sum<kClasses>(scan, of.sums, of.queue, of.slot->queued,
                                       of.tallies ? of.slot : nullptr);
}

// Engines do this in kernels of their own; here the grid's prefix sum is between the steps.
template <int kClasses>
__device__ void gather_bins(const Gathering& of, const cuda::PrefixScan& scan) {
  std::uint32_t own[kClasses] = {};
  cuda::fill_bins<kClasses>(scan, of.bins, own, of.tallies ? of.slot : nullptr);
  cuda::keep_counts<kClasses>(own, of.counts);
  cuda::exclusive_of_grid<kClasses>(own, of.sums, of.slot->queued);
  cuda::keep_counts<kClasses>(own, of.offsets);
  cuda::barrier_of_grid();
  for (int c = 0; c < kClasses; ++c) {
    const std::size_t first = std::size_t{cuda::threads_in_grid()} * c;
    cuda::empty_bin(of.bins, c, of.counts + first, of.offsets + first, of.queue, of.slot->queued);
  }
}

template <int kClasses>
__device__ void gather_segments(const Gathering& of) {
  const cuda::DoubleScan scan{
      of.levels, of.enterable, of.graph,
      cuda::ScanLayout::segment_of(of.graph.vertices, cuda::threads_in_grid())};
  std::uint32_t own[kClasses] = {};
  cuda::scan_segments<kClasses, false>(scan, own, of.queue);
  cuda::exclusive_of_grid<kClasses>(own, of.sums, of.slot->queued);
  cuda::scan_segments<kClasses, true>(scan, own, of.queue);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    gather_frontier(Gatherer gatherer, const __grid_constant__ Gathering of) {
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t counts[cuda::HierarchicalQueue::kLower + 1];
  std::uint32_t* const queued = of.slot->queued;
  switch (gatherer) {
    case Gatherer::whole:
    case Gatherer::whole_a_lane:
      cuda::gather_whole(of.items, of.levels, of.level, of.queue, queued,
                         gatherer == Gatherer::whole_a_lane);
      break;
    case Gatherer::by_class:
      cuda::gather_by_class(of.graph, of.items, of.levels, of.level, of.queue, of.slot, of.tallies);
      break;
    case Gatherer::hierarchical: {
      cuda::HierarchicalQueue lower{shared, counts, of.capacity / cuda::HierarchicalQueue::kLower};
      lower.clear();
      cuda::gather_hierarchical(of.items, of.levels, of.level, of.queue, queued, lower,
                                of.overflow);
      break;
    }
    case Gatherer::prefix_sum:
    case Gatherer::runs:
      gather_sums<1>(of, scan_of(of, gatherer == Gatherer::runs));
      break;
    case Gatherer::prefix_sum_by_class:
    case Gatherer::runs_by_class:
      gather_sums<kDegreeClasses>(of, scan_of(of, gatherer == Gatherer::runs_by_class));
      break;
    case Gatherer::double_scan:
      gather_segments<1>(of);
      break;
    case Gatherer::double_scan_by_class:
      gather_segments<kDegreeClasses>(of);
      break;
    case Gatherer::bins:
    case Gatherer::bin_runs:
      gather_bins<1>(of, scan_of(of, gatherer == Gatherer::bin_runs));
      break;
    case Gatherer::bins_by_class:
    case Gatherer::bin_runs_by_class:
      gather_bins<kDegreeClasses>(of, scan_of(of, gatherer == Gatherer::bin_runs_by_class));
      break;
    case Gatherer::edgeless_runs_by_class:
      gather_sums<kDegreeClasses>(of, scan_of(of, true, true));
      break;
    case Gatherer::edgeless_bin_runs_by_class:
      gather_bins<kDegreeClasses>(of, scan_of(of, true, true));
      break;
  }
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    count_frontier(const __grid_constant__ Gathering of, std::uint32_t* counts) {
  std::uint32_t own[kDegreeClasses] = {};
  cuda::count_wanted<kDegreeClasses>(scan_of(of, true), own, of.tallies ? of.slot : nullptr);
  cuda::keep_counts<kDegreeClasses>(own, counts);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    place_frontier(const __grid_constant__ Gathering of, const std::uint32_t* counts,
                   const std::uint32_t* offsets) {
  std::uint32_t place[kDegreeClasses];
  cuda::take_places<kDegreeClasses>(counts, offsets, place, of.slot->queued);
  cuda::place_wanted<kDegreeClasses>(scan_of(of, true), place, of.queue);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    stream(const __grid_constant__ Scanned of, cuda::SubQueuesView queues, bool one_atomic_a_vertex,
           std::uint32_t* seen, cuda::LevelSlot* facts) {
  extern __shared__ std::uint32_t shared[];
  __shared__ cuda::SubQueueCounts counts;
  const auto drain = [&](const std::uint32_t* entries, std::uint32_t count) {
    if (threadIdx.x == 0 && (count == 0 || count > queues.capacity)) atomicAdd(&facts->ticket, 1U);
    for (std::uint32_t i = threadIdx.x; i < min(count, queues.capacity); i += blockDim.x) {
      atomicAdd(&seen[min(entries[i], of.items.count)], 1U);
    }
  };
  // Twice, as for two levels: a queue that is left filled shows itself in the second.
  for (int time = 0; time < 2; ++time) {
    const cuda::StreamTally mine = cuda::stream_level(of.items, of.levels, of.level, queues, shared,
                                                      &counts, one_atomic_a_vertex, drain);
    mine.collected.add_to(facts);
    if (threadIdx.x == blockDim.x - 1) {
      atomicAdd(&facts->queued[0], mine.frontier);
      atomicAdd(&facts->drains, mine.drains);
    }
    cuda::barrier_of_grid();
  }
}

// Every vertex is open, and every visit is noted.
template <int kEdges>
struct Recorder {
  static constexpr int kBatch = kEdges;

  const cuda::CsrView& graph;
  const Visits& visits;

  template <int kCount>
  __device__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    unsigned open = 0;
    for (int j = 0; j < kCount; ++j) open |= (to[j] != kNoVertex ? 1U : 0U) << j;
    return open;
  }
  __device__ void found(vertex_t from, vertex_t edge) const {
    const bool is_its = from < graph.vertices && edge >= graph.row_offsets[from] &&
                        edge < graph.row_offsets[from + std::size_t{1}];
    atomicAdd(is_its ? &visits.times[edge] : visits.wrong, 1U);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<Recorder<1>> && cuda::EdgeAction<Recorder<4>>);

template <typename Rows>
__device__ Rows rows_of(const Frontier& frontier) {
  if constexpr (std::is_same_v<Rows, cuda::ItemRows>) {
    return {frontier.graph, frontier.items};
  } else {
    return {frontier.graph};
  }
}

template <typename Expand, typename Rows, int kBatch>
__global__ void __launch_bounds__(kMaxBlockThreads)
    expand_whole(const __grid_constant__ Frontier frontier, std::uint32_t /*drain*/) {
  Recorder<kBatch> action{frontier.graph, frontier.visits};
  cuda::share_out(Expand(frontier.scratch), rows_of<Rows>(frontier), frontier.queue,
                  frontier.queued, action);
}

template <typename Expand, typename Rows, int kBatch>
__global__ void __launch_bounds__(kMaxBlockThreads)
    expand_drains(const __grid_constant__ Frontier frontier, std::uint32_t drain) {
  Recorder<kBatch> action{frontier.graph, frontier.visits};
  const Expand expand(frontier.scratch);
  const Rows rows = rows_of<Rows>(frontier);
  const std::uint32_t count = frontier.queued[0];
  const std::uint32_t each = (count + gridDim.x - 1) / gridDim.x;
  const std::uint32_t end = min(count, (blockIdx.x + 1) * each);
  for (std::uint32_t first = min(count, blockIdx.x * each); first < end; first += drain) {
    expand.template run<cuda::BlockScope>(rows, frontier.queue.entries + first,
                                          min(drain, end - first), action);
    __syncthreads();
  }
}

using FrontierKernel = void (*)(Frontier, std::uint32_t);

struct ExpansionKernels {
  ExpansionFacts facts;
  FrontierKernel whole[2] = {};   // of one edge at once, and of four
  FrontierKernel drains[2] = {};  // nullptr: it needs the whole frontier
};

template <typename Expand, typename Rows>
ExpansionKernels kernels_of(const std::string& name, bool shares) {
  ExpansionKernels kernels{
      .facts = {.name = name,
                .shares = shares,
                .by_class = cuda::kHasClasses<Expand>,
                .by_blocks = cuda::TakesAnyList<Expand>,
                .has_width = Expand::kPart.traits.has_width},
      .whole = {&expand_whole<Expand, Rows, 1>, &expand_whole<Expand, Rows, 4>}};
  if constexpr (cuda::TakesAnyList<Expand>) {
    kernels.drains[0] = &expand_drains<Expand, Rows, 1>;
    kernels.drains[1] = &expand_drains<Expand, Rows, 4>;
  }
  return kernels;
}

const std::vector<ExpansionKernels>& all_expansions() {
  static const std::vector<ExpansionKernels> all = [] {
    std::vector<ExpansionKernels> kernels;
    cuda::for_each_expansion([&]<typename Expand>() {
      const std::string name = Expand::kPart.name;
      kernels.push_back(kernels_of<Expand, cuda::VertexRows>(name, false));
      if constexpr (Expand::kPart.traits.takes_shares) {
        kernels.push_back(kernels_of<Expand, cuda::ItemRows>(name + "_shares", true));
      }
    });
    return kernels;
  }();
  return all;
}

const ExpansionKernels& expansion_named(const std::string& name) {
  for (const ExpansionKernels& kernels : all_expansions()) {
    if (kernels.facts.name == name) return kernels;
  }
  throw std::invalid_argument("no expansion " + name);
}

__device__ cuda::ClassedQueue classed(const LastQueue& last) {
  return {last.queue, last.queued, last.classes};
}

template <int kBatch>
__global__ void __launch_bounds__(kMaxBlockThreads)
    expand_last(const __grid_constant__ cuda::CsrView graph, const __grid_constant__ LastQueue last,
                const level_t* levels, level_t level, const __grid_constant__ Visits visits) {
  Recorder<kBatch> action{graph, visits};
  cuda::expand_reached(graph, classed(last), levels, level, action);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    seed_early(const __grid_constant__ cuda::Traversal work, const __grid_constant__ LastQueue last,
               level_t level, bool by_class) {
  cuda::queue_early(work, classed(last), level, by_class);
}

template <typename Balance, bool kAsync>
__global__ void __launch_bounds__(cuda::kBlockThreads)
    look_at_level(const __grid_constant__ LookUp of) {
  extern __shared__ vertex_t hub_slots[];
  const cuda::BottomUp look{.traversal = of.work,
                            .queue = of.queue,
                            .queued = of.queued,
                            .level = of.level,
                            .hubs = of.hubs,
                            .hub_count = of.hub_count};
  cuda::Looker<kAsync, true> looker{look, cuda::fill_hub_cache(look, hub_slots)};
  Balance::run(look, looker);
  looker.finish();
}

// Degree classes as kernels of their own take them.
struct ByClass {
  template <typename L>
  __device__ static void run(const cuda::BottomUp& work, L& looker) {
    cuda::BalanceByDegree::run_class<0>(work, looker);
    cuda::BalanceByDegree::run_class<1>(work, looker);
    cuda::BalanceByDegree::run_class<2>(work, looker);
    cuda::BalanceByDegree::run_class<3>(work, looker);
  }
};

struct BalanceKernels {
  const char* name;
  void (*look[2])(LookUp);  // synchronous, asynchronous
};

const std::vector<BalanceKernels>& all_balances() {
  static const std::vector<BalanceKernels> all = [] {
    std::vector<BalanceKernels> kernels;
    for (std::size_t row = 0; row < std::size(cuda::kBalances); ++row) {
      cuda::with_balance(static_cast<cuda::BalanceBy>(row), [&]<typename Balance>() {
        if constexpr (!cuda::kKeepsBits<Balance>) {
          kernels.push_back({cuda::kBalances[row].name,
                             {&look_at_level<Balance, false>, &look_at_level<Balance, true>}});
        }
      });
    }
    kernels.push_back(
        {"degree_classes_apart", {&look_at_level<ByClass, false>, &look_at_level<ByClass, true>}});
    return kernels;
  }();
  return all;
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    list_all(const __grid_constant__ cuda::Traversal work,
             const __grid_constant__ cuda::UnvisitedView unvisited, level_t level) {
  cuda::list_unvisited(work, unvisited, level);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    pull_level(const __grid_constant__ cuda::Traversal work,
               const __grid_constant__ cuda::UnvisitedView unvisited, level_t level) {
  cuda::Puller<true, true> puller(work, unvisited, level);
  puller.run();
  puller.finish();
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    queue_pulled(const __grid_constant__ cuda::Traversal work,
                 const __grid_constant__ cuda::UnvisitedView unvisited, level_t level) {
  cuda::queue_frontier(work, unvisited, level);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    mark_all(const __grid_constant__ cuda::Traversal work,
             const __grid_constant__ cuda::FirstNeighborsView view, level_t level) {
  cuda::mark_statuses(work, view, level);
}

__global__ void __launch_bounds__(kMaxBlockThreads)
    look_at_first(const __grid_constant__ cuda::Traversal work,
                  const __grid_constant__ cuda::FirstNeighborsView view, level_t level) {
  cuda::FirstNeighborsLevel<kMaxBlockThreads / 32, true>(work, view, level).run();
}

}  // namespace

void exclusive_of_block(Grid grid, const std::uint32_t* values, std::uint32_t* before,
                        std::uint32_t* totals) {
  run(&sum_blocks, grid, 0, values, before, totals);
}

void exclusive_of_grid(int classes, Grid grid, std::uint32_t* own, std::uint32_t* sums,
                       std::uint32_t* totals) {
  run(classes == 1 ? &sum_grid<1> : &sum_grid<kDegreeClasses>, grid, 0, own, sums, totals);
}

void add_of_block(Grid grid, const unsigned long long* values, unsigned long long* total) {
  run(&add_blocks, grid, 0, values, total);
}

void append(AppendBy by, Grid grid, const std::uint32_t* times, std::uint32_t* count,
            std::uint32_t* list) {
  run(&append_numbers, grid, 0, by, times, count, list);
}

void enqueue(Grid grid, const cuda::CsrView& graph, const cuda::QueueView& queue,
             std::uint32_t* queued, const vertex_t* vertices, bool by_class,
             bool one_atomic_a_vertex) {
  run(&enqueue_vertices, grid, 0, graph, queue, queued, vertices, {by_class, one_atomic_a_vertex});
}

void scan_items(Grid grid, const Scanned& of, std::uint32_t* seen) {
  run(&scan, grid, 0, of, seen);
}

void gather(Gatherer gatherer, Grid grid, const Gathering& of) {
  const std::size_t bytes = gatherer == Gatherer::hierarchical ? of.capacity * sizeof(vertex_t) : 0;
  run(&gather_frontier, grid, bytes, gatherer, of);
}

void find_enterable(Grid grid, const cuda::CsrView& incoming, std::uint32_t* enterable) {
  run(&cuda::mark_enterable, {grid.blocks, std::min(grid.threads, 256U)}, 0, incoming, enterable);
}

void count_runs(Grid grid, const Gathering& of, std::uint32_t* counts) {
  run(&count_frontier, grid, 0, of, counts);
}

void place_runs(Grid grid, const Gathering& of, const std::uint32_t* counts,
                const std::uint32_t* offsets) {
  run(&place_frontier, grid, 0, of, counts, offsets);
}

void stream_level(Grid grid, const Scanned& of, const cuda::SubQueuesView& queues,
                  bool one_atomic_a_vertex, std::uint32_t* seen, cuda::LevelSlot* facts) {
  const std::size_t bytes = queues.entries == nullptr ? queues.capacity * sizeof(vertex_t) : 0;
  run(&stream, grid, bytes, of, queues, one_atomic_a_vertex, seen, facts);
}

std::vector<ExpansionFacts> expansions() {
  std::vector<ExpansionFacts> facts;
  for (const ExpansionKernels& kernels : all_expansions()) facts.push_back(kernels.facts);
  return facts;
}

void expand(const std::string& name, int batch, Grid grid, const Frontier& frontier) {
  run(expansion_named(name).whole[batch == 1 ? 0 : 1], grid, 0, frontier, 0);
}

void expand_by_blocks(const std::string& name, int batch, Grid grid, const Frontier& frontier,
                      std::uint32_t drain) {
  run(expansion_named(name).drains[batch == 1 ? 0 : 1], grid, 0, frontier, drain);
}

void expand_reached(int batch, Grid grid, const cuda::CsrView& graph, const LastQueue& last,
                    const level_t* levels, level_t level, const Visits& visits) {
  run(batch == 1 ? &expand_last<1> : &expand_last<4>, grid, 0, graph, last, levels, level, visits);
}

void queue_early(Grid grid, const cuda::Traversal& work, const LastQueue& last, level_t level,
                 bool by_class) {
  run(&seed_early, grid, 0, work, last, level, by_class);
}

std::vector<std::string> balances() {
  std::vector<std::string> names;
  for (const BalanceKernels& kernels : all_balances()) names.emplace_back(kernels.name);
  return names;
}

void look_up(const std::string& balance, bool async, Grid grid, const LookUp& of) {
  for (const BalanceKernels& kernels : all_balances()) {
    if (kernels.name != balance) continue;
    const std::size_t bytes = of.hubs != nullptr ? cuda::kHubSlots * sizeof(vertex_t) : 0;
    return run(kernels.look[async ? 1 : 0], grid, bytes, of);
  }
  throw std::invalid_argument("no balance " + balance);
}

void list_unvisited(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
                    level_t level) {
  run(&list_all, grid, 0, work, unvisited, level);
}

void pull(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
          level_t level) {
  run(&pull_level, grid, 0, work, unvisited, level);
}

void queue_frontier(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
                    level_t level) {
  run(&queue_pulled, grid, 0, work, unvisited, level);
}

void mark_statuses(Grid grid, const cuda::Traversal& work, const cuda::FirstNeighborsView& view,
                   level_t level) {
  const cuda::Stream stream;
  cuda::take_first_entries(work.incoming.row_offsets, work.incoming.columns, work.incoming.vertices,
                           view.first, stream);
  stream.wait();
  run(&mark_all, grid, 0, work, view, level);
}

void look_at_first_neighbors(Grid grid, const cuda::Traversal& work,
                             const cuda::FirstNeighborsView& view, level_t level) {
  run(&look_at_first, grid, 0, work, view, level);
}

}  // namespace bfslab::tests
