// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/resident.hpp"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cub/block/block_scan.cuh>
#include <cuda/ptx>

#include "kernels/cuda/device/cluster.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

namespace {

namespace ptx = ::cuda::ptx;

// --- The graph in parts.

template <typename Id>
__global__ void __launch_bounds__(kBlockThreads)
    make_parts(const __grid_constant__ CsrView graph, const __grid_constant__ ResidentSearches like,
               std::byte* parts) {
  using Scan = cub::BlockScan<std::uint32_t, kBlockThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const ResidentShape& shape = like.shape;
  std::byte* const part = parts + like.part_at[blockIdx.x];
  auto* const begins = reinterpret_cast<std::uint32_t*>(part);
  auto* const columns = reinterpret_cast<Id*>(part + shape.columns_at());
  const auto degree_of_row = [&](std::uint32_t row) -> std::uint32_t {
    if (row >= shape.rows) return 0;
    const std::size_t v = shape.vertex_of(blockIdx.x, row);
    if (v >= shape.vertices) return 0;
    return static_cast<std::uint32_t>(graph.row_offsets[v + 1] - graph.row_offsets[v]);
  };
  std::uint32_t before_all = 0;
  for (std::uint32_t first = 0; first <= shape.rows; first += kBlockThreads) {
    const std::uint32_t row = first + threadIdx.x;
    std::uint32_t before = 0;
    std::uint32_t sum = 0;
    Scan(scratch).ExclusiveSum(degree_of_row(row), before, sum);
    if (row <= shape.rows) begins[row] = before_all + before;
    before_all += sum;
    __syncthreads();  // the scratch space is free again, and the rows before have their beginnings
  }
  for (std::uint32_t row = threadIdx.x / 32; row < shape.rows; row += kBlockThreads / 32) {
    const std::uint32_t count = degree_of_row(row);
    if (count == 0) continue;
    const edge_t from = graph.row_offsets[shape.vertex_of(blockIdx.x, row)];
    for (std::uint32_t e = lane_id(); e < count; e += 32) {
      columns[begins[row] + e] = static_cast<Id>(shape.place_of(graph.columns[from + e]));
    }
  }
}

// --- A search.

// Clusters are of compute capability 9; resident_shape() finds that a device has none.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// A row that is too long for a team is a warp's up to this many neighbours, and a block's beyond.
constexpr std::uint32_t kManyNeighborsOfRow = 1024;

// What the threads of a block tell each other.
struct ResidentCounts {
  // Of levels of each parity; 0 when a search begins.
  struct Queued {
    std::uint32_t more, longest;  // rows, by their lengths
    std::uint32_t vertices;       // where somebody logs
  };
  Queued queued[2];
  // Of levels of each parity: completes when all blocks have told this one, and its warps all.
  std::uint64_t told[2];
};

// Both as functions, so that compilers see that what they lead to is shared memory.
__device__ inline std::byte* resident_memory() {
  extern __shared__ __align__(16) std::byte memory[];
  return memory;
}
__device__ inline ResidentCounts& resident_counts() {
  __shared__ ResidentCounts counts;
  return counts;
}

// Places and levels are of Id's width.
template <typename Id, bool kParents>
struct ResidentBlock {
  static constexpr Id kNoLevel = static_cast<Id>(~Id{0});
  static constexpr unsigned kMostPlanes = kResidentRows / (32 * kResidentTeams);
  static constexpr unsigned kTellersOfLane = kResidentBlocks / kResidentLanes;

  const ResidentSearches& work;
  const unsigned rank;  // of the block in its cluster
  const unsigned team = threadIdx.x / kResidentLanes;
  const unsigned lane = threadIdx.x % kResidentLanes;  // of the team
  unsigned phases = 0;                                 // bit p: that of counts.told[p]
  // Whom the thread's warp tells, from which word on, and after how many the thread's next word is;
  // where what is told for even levels lies there, and what counts it.
  unsigned to = 0;
  std::uint32_t first_word = 0;
  std::uint32_t words_apart = 0;
  std::uint32_t* there = nullptr;
  std::uint64_t* complete_there = nullptr;
  vertex_t* own_candidates = nullptr;

  __device__ explicit ResidentBlock(const ResidentSearches& searches)
      : work(searches), rank(cluster().block_rank()) {
    static_assert(kResidentThreads / 32 >= kResidentBlocks, "each block is some warp's");
    const unsigned warp = threadIdx.x / 32;
    to = warp % shape().blocks;
    first_word = 4 * (warp / shape().blocks * 32 + lane_id());
    words_apart = 4 * (kResidentThreads / shape().blocks);
    there = cluster().map_shared_rank(told(0, rank), to);
    complete_there = cluster().map_shared_rank(&resident_counts().told[0], to);
    if constexpr (kParents) own_candidates = candidates(rank);
  }

  __device__ static cooperative_groups::cluster_group cluster() {
    return cooperative_groups::this_cluster();
  }
  template <typename T>
  __device__ static T* in_memory(std::uint32_t bytes) {
    return reinterpret_cast<T*>(resident_memory() + bytes);
  }
  [[nodiscard]] __device__ const ResidentShape& shape() const { return work.shape; }
  [[nodiscard]] __device__ const std::uint32_t* begins() const {
    return in_memory<const std::uint32_t>(0);
  }
  [[nodiscard]] __device__ const Id* columns() const {
    return in_memory<const Id>(shape().columns_at());
  }
  [[nodiscard]] __device__ Id* levels() const { return in_memory<Id>(shape().levels_at()); }
  [[nodiscard]] __device__ std::uint16_t* queue() const {
    return in_memory<std::uint16_t>(shape().queue_at());
  }
  [[nodiscard]] __device__ std::uint32_t* tellers() const {
    return in_memory<std::uint32_t>(shape().tellers_at());
  }
  // What `block` has noted of parents, [places].
  [[nodiscard]] __device__ vertex_t* candidates(unsigned block) const {
    return work.candidates + block * shape().places();
  }
  [[nodiscard]] __device__ std::uint32_t* reached() const {
    return in_memory<std::uint32_t>(shape().reached_at());
  }
  // What `block` has told, for levels of that parity.
  [[nodiscard]] __device__ std::uint32_t* told(unsigned parity, unsigned block) const {
    return in_memory<std::uint32_t>(shape().told_at(parity)) + block * shape().words_told();
  }

  [[nodiscard]] __device__ bool is_first_thread() const { return rank == 0 && threadIdx.x == 0; }
  [[nodiscard]] __device__ bool logs() const { return work.log.head != nullptr; }

  // Once, before anything else. Nobody reads the block's part of the graph, or tells another block
  // anything, before all have met.
  __device__ void begin() const {
    constexpr std::uint32_t kBytes = 16;
    const std::uint32_t bytes = work.part_at[rank + 1] - work.part_at[rank];
    const std::byte* const part = work.parts + work.part_at[rank];
    for (std::uint32_t at = threadIdx.x * kBytes; at < bytes; at += kResidentThreads * kBytes) {
      __pipeline_memcpy_async(resident_memory() + at, part + at, kBytes);
    }
    __pipeline_commit();
    if (threadIdx.x == 0) {
      for (std::uint64_t& each : resident_counts().told) {
        ptx::mbarrier_init(&each, kResidentThreads / 32);
      }
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __pipeline_wait_prior(0);
  }

  // Ready for a search from `source`, as if the source's block had told of it.
  __device__ void reset(vertex_t source) const {
    const std::uint32_t words = shape().words();
    for (std::uint32_t w = threadIdx.x; w < shape().blocks * words; w += kResidentThreads) {
      reached()[w] = 0;
    }
    const std::uint32_t place = shape().place_of(source);
    for (std::uint32_t w = threadIdx.x; w < shape().words_told_by_all(); w += kResidentThreads) {
      const bool is_sources = w < words && place / 32 == rank * words + w;
      told(0, 0)[w] = is_sources ? 1U << place % 32 : w == words ? 1 : 0;
    }
    for (std::uint32_t r = threadIdx.x; r < shape().rows; r += kResidentThreads) {
      levels()[r] = kNoLevel;
    }
    if (threadIdx.x == 0) resident_counts().queued[0] = resident_counts().queued[1] = {};
  }

  // --- Edges.

  __device__ void reach(std::uint32_t row, Id place) const {
    std::uint32_t* const word = reached() + place / 32;
    const std::uint32_t bit = 1U << place % 32;
    if ((fresh(word) & bit) != 0) return;
    if constexpr (kParents) {
      if ((atomicOr(word, bit) & bit) == 0) {
        own_candidates[place] = shape().vertex_of(rank, row);
      }
    } else {
      atomicOr(word, bit);
    }
    stress_pause();
  }

  __device__ void take_row(std::uint32_t row, unsigned first, unsigned step) const {
    const std::uint32_t end = begins()[row + 1];
    for (std::uint32_t e = begins()[row] + first; e < end; e += step) reach(row, columns()[e]);
  }
  // All lanes of the team; long rows are queued.
  __device__ void take_or_queue(std::uint32_t row, ResidentCounts::Queued& queued) const {
    const std::uint32_t count = begins()[row + 1] - begins()[row];
    if (count <= kResidentFew) {
      take_row(row, lane, kResidentLanes);
    } else if (lane == 0) {
      const auto id = static_cast<std::uint16_t>(row);
      if (count <= kManyNeighborsOfRow) {
        queue()[atomicAdd(&queued.more, 1U)] = id;
      } else {
        queue()[shape().most_queued() - 1 - atomicAdd(&queued.longest, 1U)] = id;
      }
    }
  }
  // All threads, after all have queued.
  __device__ void take_queued(const ResidentCounts::Queued& queued) const {
    for (std::uint32_t i = threadIdx.x / 32; i < queued.more; i += kResidentThreads / 32) {
      take_row(queue()[i], lane_id(), 32);
    }
    for (std::uint32_t i = 0; i < queued.longest; ++i) {
      take_row(queue()[shape().most_queued() - 1 - i], threadIdx.x, kResidentThreads);
    }
  }

  // --- Levels.

  // What the lane's block told beside its bits: of the level before, how many vertices it had where
  // somebody logs, and else whether it had any.
  [[nodiscard]] __device__ std::uint32_t number_told(unsigned parity) const {
    return lane_id() < shape().blocks ? told(parity, lane_id())[shape().words()] : 0;
  }

  // What the block has reached, to all, for the next level, of that parity; `number` beside it. All
  // threads, after all have reached what they do. Warps take blocks in turn.
  __device__ void tell(unsigned parity, std::uint32_t number) const {
    const std::uint32_t words = shape().words();
    const std::uint32_t* const from = reached() + to * words;
    for (std::uint32_t w = first_word; w <= words; w += words_apart) {
      const uint4 quad =
          w < words ? *reinterpret_cast<const uint4*>(from + w) : uint4{number, 0, 0, 0};
      stress_pause();
      ptx::st_async(there + parity * shape().words_told_by_all() + w,
                    {quad.x, quad.y, quad.z, quad.w}, complete_there + parity);
    }
    // Nobody of this block hears the others, and reaches more, before each warp has read what it
    // sends.
    stress_pause();
    __syncwarp();
    std::uint64_t* const complete = &resident_counts().told[parity];
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, complete,
                                     shape().words_told_by_all() * 4);
    } else if (lane_id() == 0) {
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, complete);
    }
  }
  // What all blocks tell for a level of that parity is there.
  __device__ void hear(unsigned parity) {
    std::uint64_t* const complete = &resident_counts().told[parity];
    while (!ptx::mbarrier_try_wait_parity(complete, phases >> parity & 1U)) {
    }
    phases ^= 1U << parity;
    stress_pause();
  }

  __device__ void log_level(level_t level, std::uint32_t vertices, unsigned kind) const {
    if (vertices == 0 || !is_first_thread()) return;
    work.log.level_is(level, kind);
    LevelSlot slot;
    slot.queued[0] = vertices;
    slot.vertices = vertices;
    work.log.level_ended(level, slot);
  }

  // The team's new vertices among those told of, in the plane's field, get their level, and what
  // they lead to is reached.
  __device__ void advance(level_t level, unsigned plane, std::uint32_t& visited,
                          std::uint32_t& count) const {
    const std::uint32_t at = (plane * kResidentTeams + team) * shape().width;
    const std::uint32_t* const heard = told(level % 2, lane) + at / 32;
    std::uint32_t bits = 0;
    std::uint32_t bits_of[kTellersOfLane] = {};  // of blocks lane, lane + kResidentLanes, ...
#pragma unroll
    for (unsigned i = 0; i < kTellersOfLane; ++i) {
      const unsigned first = i * kResidentLanes;
      if (first + lane < shape().blocks) bits_of[i] = heard[first * shape().words_told()];
      bits |= bits_of[i];
    }
    for (unsigned each = 1; each < kResidentLanes; each *= 2) {
      bits |= __shfl_xor_sync(kAllLanes, bits, each);
    }
    bits = bits >> at % 32 & ~0U >> (32 - shape().width);
    std::uint32_t found = bits & ~visited;
    visited |= bits;
    count += __popc(found);
    while (found != 0) {
      const unsigned bit = __ffs(static_cast<int>(found)) - 1;
      const std::uint32_t row = shape().row_of(plane, bit, team);
      found &= found - 1;
      if (lane == 0) levels()[row] = static_cast<Id>(level);
      if constexpr (kParents) {
#pragma unroll
        for (unsigned i = 0; i < kTellersOfLane; ++i) {
          // Any of several is right.
          if ((bits_of[i] >> (at % 32 + bit) & 1U) != 0) {
            atomicExch(&tellers()[row], i * kResidentLanes + lane);
          }
        }
      }
      take_or_queue(row, resident_counts().queued[level % 2]);
    }
  }
  // Level after level, from what reset() has told of. All threads of all blocks, which have met
  // since. Returns the number of levels.
  __device__ level_t run_levels(unsigned log_kind) {
    ResidentCounts& counts = resident_counts();
    const bool counts_any = logs() || shape().long_rows;
    std::uint32_t visited[kMostPlanes] = {};
    for (level_t level = 0;; ++level) {
      const unsigned parity = level % 2;
      if (level > 0) {
        hear(parity);
        if (logs()) log_level(level - 1, sum_of_warp(number_told(parity)), log_kind);
      }
      std::uint32_t found = 0;
#pragma unroll
      for (unsigned plane = 0; plane < kMostPlanes; ++plane) {
        if (plane < shape().planes) advance(level, plane, visited[plane], found);
      }
      if (logs() && lane == 0 && found != 0) {
        atomicAdd(&counts.queued[parity].vertices, found);
      }
      std::uint32_t number = __syncthreads_or(static_cast<int>(found != 0)) != 0 ? 1 : 0;
      if (number == 0 && !__any_sync(kAllLanes, static_cast<int>(number_told(parity) != 0))) {
        return level - 1;  // no block had any at the level before
      }
      if (counts_any) {
        const ResidentCounts::Queued queued = counts.queued[parity];
        if (queued.more + queued.longest > 0) {
          take_queued(queued);
          __syncthreads();
        }
        if (logs()) number = queued.vertices;
        // What the level before queued all are done with, and the next queues nothing before it has
        // heard this block, too.
        if (threadIdx.x == 0) counts.queued[parity ^ 1U] = {};
      }
      tell(parity ^ 1U, number);
    }
  }

  // --- The answer.

  // Of the block's part. Where each level has one vertex, all are reached, and the level of the
  // last may be what else stands for none.
  __device__ void write(vertex_t source, const StatusView& answer, level_t level_count) const {
    const bool all_reached = level_count == shape().vertices;
    if constexpr (kParents) cluster().barrier_arrive();
    for (std::uint32_t row = threadIdx.x; row < shape().rows; row += kResidentThreads) {
      const vertex_t v = shape().vertex_of(rank, row);
      if (v >= shape().vertices) break;
      const Id level = levels()[row];
      answer.levels[v] = level != kNoLevel || all_reached ? level : kUnreached;
    }
    if constexpr (kParents) {
      __syncwarp();
      cluster().barrier_wait();  // all have noted all candidates
      for (std::uint32_t row = threadIdx.x; row < shape().rows; row += kResidentThreads) {
        const vertex_t v = shape().vertex_of(rank, row);
        if (v >= shape().vertices) break;
        const bool reached = levels()[row] != kNoLevel || all_reached;
        answer.parents[v] = reached ? parent_of(row, v, source) : kNoVertex;
      }
    }
  }
  [[nodiscard]] __device__ vertex_t parent_of(std::uint32_t row, vertex_t v,
                                              vertex_t source) const {
    if (v == source) return source;
    return candidates(tellers()[row])[shape().place_of(rank, row)];
  }

  __device__ void note_time(std::uint32_t search, unsigned end) const {
    if (work.times_ns != nullptr && is_first_thread()) {
      work.times_ns[2 * search + end] = device_ns();
    }
  }

  __device__ void run(unsigned log_kind) {
    for (std::uint32_t search = 0; search < work.count; ++search) {
      const vertex_t source = work.sources != nullptr ? work.sources[search] : work.source;
      StatusView answer = work.answers;
      answer.levels += std::size_t{search} * shape().vertices;
      if constexpr (kParents) answer.parents += std::size_t{search} * shape().vertices;
      note_time(search, 0);
      reset(source);
      cluster().sync();
      if (is_first_thread()) work.log.starts();
      const level_t level_count = run_levels(log_kind);
      write(source, answer, level_count);
      if (work.times_ns == nullptr) return;  // the only one
      cluster().sync();
      note_time(search, 1);
    }
  }
};

#endif

template <typename Id, bool kParents>
__global__ void __launch_bounds__(kResidentThreads, 1)
    run_resident(const __grid_constant__ ResidentSearches searches, unsigned log_kind) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  ResidentBlock<Id, kParents> block(searches);
  block.begin();
  block.run(log_kind);
#endif
}

template <typename Id>
ClusterKernel<ResidentSearches, unsigned> kernel_of(const ResidentShape& shape, bool parents) {
  return {parents ? run_resident<Id, true> : run_resident<Id, false>, shape.blocks,
          kResidentThreads, shape.bytes()};
}
ClusterKernel<ResidentSearches, unsigned> kernel_of(const ResidentShape& shape, bool parents) {
  return shape.wide ? kernel_of<std::uint32_t>(shape, parents)
                    : kernel_of<std::uint16_t>(shape, parents);
}

}  // namespace

std::optional<ResidentGraph> make_resident_graph(const CsrGraph& graph, const CsrView& on_device,
                                                 unsigned only, bool parents,
                                                 const Stream& stream) {
  const vertex_t n = graph.vertex_count();
  if (!has_resident_size(n, graph.edge_count())) return std::nullopt;
  std::array<std::uint32_t, kResidentBlocks> entries{};
  const auto most_entries = [&](unsigned blocks) {
    entries = {};
    for (vertex_t v = 0; v < n; ++v) {
      entries[v % blocks] += static_cast<std::uint32_t>(graph.degree(v));
    }
    return *std::ranges::max_element(entries);
  };
  edge_t longest = 0;
  for (vertex_t v = 0; v < n; ++v) longest = std::max(longest, graph.degree(v));
  const auto runs = [&](const ResidentShape& each) { return kernel_of(each, parents).runs_here(); };
  const auto shape = first_resident_shape(n, graph.edge_count(), longest, only, most_entries, runs);
  if (!shape) return std::nullopt;
  ResidentGraph made{.shape = *shape, .part_at = {}, .parts = {}, .candidates = {}};
  for (unsigned b = 0; b < shape->blocks; ++b) {
    made.part_at[b + 1] = made.part_at[b] + shape->image_bytes(entries[b]);
  }
  made.parts = DeviceBuffer<std::byte>(made.part_at[shape->blocks]);
  if (parents) {
    made.candidates = DeviceBuffer<vertex_t>(std::size_t{shape->blocks} * shape->places());
  }
  (shape->wide ? make_parts<std::uint32_t>
               : make_parts<std::uint16_t>)<<<shape->blocks, kBlockThreads, 0, stream.get()>>>(
      on_device, searches_of(made), made.parts.data());
  BFSLAB_CUDA_LAUNCHED("make_parts");
  return made;
}

ResidentSearches searches_of(const ResidentGraph& graph) {
  ResidentSearches searches;
  searches.shape = graph.shape;
  searches.parts = graph.parts.data();
  searches.candidates = graph.candidates.data();
  std::ranges::copy(graph.part_at, searches.part_at);
  return searches;
}

void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream) {
  kernel_of(searches.shape, searches.candidates != nullptr).launch(stream, searches, log_kind);
}

}  // namespace bfslab::cuda
