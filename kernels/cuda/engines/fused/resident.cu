// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/resident.hpp"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

namespace {

// Rows of up to so many neighbours are a few lanes' work, longer ones a warp's, and the longest a
// block's.
constexpr unsigned kFewLanes = 8;
constexpr std::uint32_t kFewNeighborsOfRow = 64;
constexpr std::uint32_t kManyNeighborsOfRow = 2048;
// Rows of a block that are longer: no block has room for more.
constexpr unsigned kMostLongest = 128;

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
  const auto vertex_of = [&](std::uint32_t row) { return row * shape.blocks + blockIdx.x; };
  const auto degree_of_row = [&](std::uint32_t row) -> std::uint32_t {
    if (row >= shape.rows || vertex_of(row) >= shape.vertices) return 0;
    const std::size_t v = vertex_of(row);
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
    const edge_t from = graph.row_offsets[vertex_of(row)];
    for (std::uint32_t e = lane_id(); e < count; e += 32) {
      columns[begins[row] + e] = static_cast<Id>(graph.columns[from + e]);
    }
  }
}

// --- A search.

// Clusters are of compute capability 9; resident_shape() finds that a device has none.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// What the threads of a block tell each other. All of it is 0 when a search begins.
struct ResidentCounts {
  // Of levels of each parity.
  struct Queued {
    std::uint32_t few, more, longest;  // vertices, by how long their rows are
    std::uint32_t vertices;            // where somebody logs
  };
  Queued queued[2];
  // By levels, three in turn: of the blocks that had a frontier, each adds how many vertices it had
  // where somebody logs, and else 1.
  std::uint32_t alive[3];
  std::uint16_t longest[kMostLongest];
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

// kAlone: the block is the only one. Vertex ids and levels are of Id's width.
template <typename Id, bool kAlone>
struct ResidentBlock {
  // A level above and a vertex below it: the least is of the first level.
  using Key = std::conditional_t<sizeof(Id) == 2, std::uint32_t, unsigned long long>;
  static constexpr unsigned kIdBits = 8 * sizeof(Id);
  static constexpr Id kNoLevel = static_cast<Id>(~Id{0});
  static constexpr Key kNoKey = ~Key{0};

  const ResidentSearches& work;
  unsigned rank = 0;   // of the block in its cluster
  unsigned shift = 0;  // blocks are 1 << shift

  __device__ explicit ResidentBlock(const ResidentSearches& searches) : work(searches) {
    if constexpr (!kAlone) {
      rank = cooperative_groups::this_cluster().block_rank();
      shift = __ffs(static_cast<int>(searches.shape.blocks)) - 1;
    }
  }

  template <typename T>
  __device__ static T* in_memory(std::uint32_t bytes) {
    return reinterpret_cast<T*>(resident_memory() + bytes);
  }
  [[nodiscard]] __device__ const std::uint32_t* begins() const {
    return in_memory<const std::uint32_t>(0);
  }
  [[nodiscard]] __device__ const Id* columns() const {
    return in_memory<const Id>(work.shape.columns_at());
  }
  [[nodiscard]] __device__ Id* levels() const { return in_memory<Id>(work.shape.reached_at()); }
  [[nodiscard]] __device__ Key* keys() const { return in_memory<Key>(work.shape.reached_at()); }
  [[nodiscard]] __device__ std::uint16_t* queue() const {
    return in_memory<std::uint16_t>(work.shape.queue_at());
  }
  [[nodiscard]] __device__ std::uint32_t* sent() const {
    return in_memory<std::uint32_t>(work.shape.sent_at());
  }
  [[nodiscard]] __device__ std::uint32_t* marked(level_t level) const {
    return in_memory<std::uint32_t>(work.shape.marked_at(level % 2));
  }

  [[nodiscard]] __device__ bool makes_parents() const { return work.shape.parents; }
  [[nodiscard]] __device__ std::uint32_t rows() const { return work.shape.rows; }
  [[nodiscard]] __device__ vertex_t vertex_of(std::uint32_t row) const {
    return kAlone ? row : row << shift | rank;
  }
  [[nodiscard]] __device__ bool is_first_thread() const { return rank == 0 && threadIdx.x == 0; }
  [[nodiscard]] __device__ bool logs() const { return work.log.head != nullptr; }

  // The same place of another block's memory.
  template <typename T>
  __device__ static T* at_block(T* mine, unsigned block) {
    if constexpr (kAlone) {
      return mine;
    } else {
      return cooperative_groups::this_cluster().map_shared_rank(mine, block);
    }
  }

  // All threads of all blocks; what they wrote before is there for all.
  __device__ static void meet() {
    if constexpr (kAlone) {
      __syncthreads();
    } else {
      cooperative_groups::this_cluster().sync();
    }
  }

  // The block's part of the graph, which nobody reads before all have met.
  __device__ void fetch() const {
    constexpr std::uint32_t kBytes = 16;
    const std::uint32_t bytes = work.part_at[rank + 1] - work.part_at[rank];
    const std::byte* const part = work.parts + work.part_at[rank];
    for (std::uint32_t at = threadIdx.x * kBytes; at < bytes; at += kResidentThreads * kBytes) {
      __pipeline_memcpy_async(resident_memory() + at, part + at, kBytes);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }

  // Ready for a search from `source`. The block's threads have met since the search before.
  __device__ void reset(vertex_t source) const {
    const ResidentShape& shape = work.shape;
    const std::uint32_t words = ResidentShape::words_of(shape.vertices);
    for (std::uint32_t w = threadIdx.x; w < words; w += kResidentThreads) sent()[w] = 0;
    const std::uint32_t row = source >> shift;
    const bool is_mine = vertex_of(row) == source;
    if (threadIdx.x < ResidentShape::words_of(rows())) {
      marked(0)[threadIdx.x] = is_mine && threadIdx.x == row / 32 ? 1U << row % 32 : 0;
      marked(1)[threadIdx.x] = 0;
    }
    for (std::uint32_t r = threadIdx.x; r < rows(); r += kResidentThreads) {
      if (makes_parents()) {
        keys()[r] = kNoKey;
      } else {
        levels()[r] = kNoLevel;
      }
    }
    if (threadIdx.x == 0) {
      ResidentCounts& counts = resident_counts();
      counts.queued[0] = counts.queued[1] = {};
      for (std::uint32_t& each : counts.alive) each = 0;
    }
  }

  // The block's vertices that are marked and were not visited, as bits of the thread's word:
  // queued, by the lengths of their rows, those without neighbours left out.
  __device__ void queue_found(std::uint32_t found, level_t level) const {
    ResidentCounts::Queued& queued = resident_counts().queued[level % 2];
    while (found != 0) {
      const std::uint32_t row = 32 * threadIdx.x + __ffs(static_cast<int>(found)) - 1;
      found &= found - 1;
      if (!makes_parents()) levels()[row] = static_cast<Id>(level);
      const std::uint32_t count = begins()[row + 1] - begins()[row];
      const auto vertex = static_cast<std::uint16_t>(row);
      if (count > kManyNeighborsOfRow) {
        resident_counts().longest[append_place(&queued.longest)] = vertex;
      } else if (count > kFewNeighborsOfRow) {
        queue()[rows() - 1 - append_place(&queued.more)] = vertex;
      } else if (count > 0) {
        queue()[append_place(&queued.few)] = vertex;
      }
    }
  }

  // An edge from a vertex of `level`. What other blocks send meanwhile may send a vertex again.
  __device__ void send(vertex_t from, vertex_t to, level_t level) const {
    std::uint32_t* const word = sent() + to / 32;
    const std::uint32_t bit = 1U << to % 32;
    if ((fresh(word) & bit) != 0) return;
    atomicOr(word, bit);
    stress_pause();
    const unsigned block = kAlone ? 0 : to & (work.shape.blocks - 1);
    const std::uint32_t row = to >> shift;
    if (makes_parents()) {
      atomicMin(at_block(keys(), block) + row, static_cast<Key>(Key{level} << kIdBits | from));
      stress_pause();
    }
    atomicOr(at_block(marked(level + 1), block) + row / 32, 1U << row % 32);
  }

  // Lanes `lane` of `lanes`, which take a row together.
  __device__ void send_row(std::uint32_t row, level_t level, unsigned lane, unsigned lanes) const {
    const vertex_t from = vertex_of(row);
    const std::uint32_t end = begins()[row + 1];
    for (std::uint32_t e = begins()[row] + lane; e < end; e += lanes)
      send(from, columns()[e], level);
  }

  // All edges of the block's part of the frontier. All its threads.
  __device__ void expand(level_t level) const {
    const ResidentCounts::Queued queued = resident_counts().queued[level % 2];
    for (std::uint32_t i = threadIdx.x / kFewLanes; i < queued.few;
         i += kResidentThreads / kFewLanes) {
      send_row(queue()[i], level, threadIdx.x % kFewLanes, kFewLanes);
    }
    for (std::uint32_t i = threadIdx.x / 32; i < queued.more; i += kResidentThreads / 32) {
      send_row(queue()[rows() - 1 - i], level, lane_id(), 32);
    }
    for (std::uint32_t i = 0; i < queued.longest; ++i) {
      send_row(resident_counts().longest[i], level, threadIdx.x, kResidentThreads);
    }
  }

  __device__ void log_level(level_t level, std::uint32_t vertices, unsigned kind) const {
    if (!logs() || !is_first_thread()) return;
    work.log.level_is(level, kind);
    LevelSlot slot;
    slot.queued[0] = vertices;
    slot.vertices = vertices;
    work.log.level_ended(level, slot);
  }

  // Level after level, from what reset() has marked on. All threads of all blocks, which have met
  // since, and meet at the end.
  __device__ void run_levels(unsigned log_kind) const {
    const bool has_word = threadIdx.x < ResidentShape::words_of(rows());
    ResidentCounts& counts = resident_counts();
    std::uint32_t visited = 0;
    for (level_t level = 0;; ++level) {
      std::uint32_t found = 0;
      if (has_word) {
        std::uint32_t& word = marked(level)[threadIdx.x];
        found = word & ~visited;
        word = 0;
        visited |= found;
      }
      if (logs() && found != 0) {
        atomicAdd(&counts.queued[level % 2].vertices, static_cast<std::uint32_t>(__popc(found)));
      }
      queue_found(found, level);
      const bool any = __syncthreads_or(static_cast<int>(found != 0)) != 0;
      if (any) {
        if (threadIdx.x < work.shape.blocks) {
          const std::uint32_t told = logs() ? counts.queued[level % 2].vertices : 1;
          atomicAdd(at_block(&counts.alive[level % 3], threadIdx.x), told);
        }
        expand(level);
      }
      if (threadIdx.x == 0) {
        counts.queued[(level + 1) % 2] = {};  // of the level before, which all are done with
        counts.alive[(level + 1) % 3] = 0;    // of the level before that
      }
      meet();
      const std::uint32_t alive = fresh(&counts.alive[level % 3]);
      if (alive == 0) return;
      log_level(level, alive, log_kind);
    }
  }

  // The block's part of the answer.
  __device__ void write(vertex_t source, const StatusView& answer) const {
    for (std::uint32_t row = threadIdx.x; row < rows(); row += kResidentThreads) {
      const vertex_t v = vertex_of(row);
      if (v >= work.shape.vertices) break;
      level_t level = kUnreached;
      if (makes_parents()) {
        const Key key = keys()[row];
        vertex_t parent = kNoVertex;
        if (v == source) {
          level = 0;
          parent = source;
        } else if (key != kNoKey) {
          level = static_cast<level_t>(key >> kIdBits) + 1;
          parent = static_cast<Id>(key);
        }
        answer.parents[v] = parent;
      } else if (levels()[row] != kNoLevel) {
        level = levels()[row];
      }
      answer.levels[v] = level;
    }
  }

  __device__ void note_time(std::uint32_t search, unsigned end) const {
    if (work.times_ns != nullptr && is_first_thread()) {
      work.times_ns[2 * search + end] = device_ns();
    }
  }

  __device__ void run(unsigned log_kind) const {
    for (std::uint32_t search = 0; search < work.count; ++search) {
      const vertex_t source = work.sources != nullptr ? work.sources[search] : work.source;
      StatusView answer = work.answers;
      answer.levels += std::size_t{search} * work.shape.vertices;
      if (answer.parents != nullptr) answer.parents += std::size_t{search} * work.shape.vertices;
      note_time(search, 0);
      reset(source);
      meet();
      if (is_first_thread()) work.log.starts();
      run_levels(log_kind);
      write(source, answer);
      if (work.times_ns == nullptr) return;  // the only one
      meet();
      note_time(search, 1);
    }
  }
};

#endif

template <typename Id, bool kAlone>
__global__ void __launch_bounds__(kResidentThreads, 1)
    run_resident(const __grid_constant__ ResidentSearches searches, unsigned log_kind) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const ResidentBlock<Id, kAlone> block(searches);
  block.fetch();
  block.run(log_kind);
#endif
}

using ResidentKernel = void (*)(ResidentSearches, unsigned);

ResidentKernel kernel_of(const ResidentShape& shape) {
  if (shape.blocks == 1) return run_resident<std::uint16_t, true>;
  return shape.wide ? run_resident<std::uint32_t, false> : run_resident<std::uint16_t, false>;
}

// A launch of one cluster.
struct ResidentLaunch {
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};

  ResidentLaunch(const ResidentShape& shape, cudaStream_t stream) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(shape.blocks);
    config.blockDim = dim3(kResidentThreads);
    config.dynamicSmemBytes = shape.bytes();
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  ResidentLaunch(const ResidentLaunch&) = delete;  // config names cluster
  ResidentLaunch& operator=(const ResidentLaunch&) = delete;
};

// Whether this device runs a cluster of that shape; its kernel may then be launched.
bool runs_here(const ResidentShape& shape) {
  const auto* const kernel = reinterpret_cast<const void*>(kernel_of(shape));
  int here = 0;
  int clusters = 0;
  BFSLAB_CUDA(cudaGetDevice(&here));
  BFSLAB_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, here));
  cudaFuncAttributes found{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&found, kernel));
  if (clusters == 0 || found.ptxVersion < 90) return false;
  const std::uint64_t most = device().shared_bytes_of_block;
  if (found.sharedSizeBytes + shape.bytes() > most) return false;
  // The limit is the kernel's, not one graph's of several that are searched by it.
  BFSLAB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most - found.sharedSizeBytes)));
  constexpr unsigned kPortable = 8;
  if (shape.blocks > kPortable) {
    BFSLAB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  const ResidentLaunch launch(shape, nullptr);
  int at_once = 0;
  if (cudaOccupancyMaxActiveClusters(&at_once, kernel, &launch.config) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // no cluster of that size runs here
    return false;
  }
  return at_once > 0;
}

}  // namespace

std::optional<ResidentGraph> make_resident_graph(const CsrGraph& graph, const CsrView& on_device,
                                                 bool parents, unsigned only,
                                                 const Stream& stream) {
  const vertex_t n = graph.vertex_count();
  std::array<std::uint32_t, kResidentBlocks> entries{};
  const auto most_entries = [&](unsigned blocks) {
    entries = {};
    for (vertex_t v = 0; v < n; ++v) {
      entries[v % blocks] += static_cast<std::uint32_t>(graph.degree(v));
    }
    return *std::ranges::max_element(entries);
  };
  const auto shape =
      first_resident_shape(n, graph.edge_count(), parents, only, most_entries, runs_here);
  if (!shape) return std::nullopt;
  ResidentGraph made{.shape = *shape, .part_at = {}, .parts = {}};
  for (unsigned b = 0; b < shape->blocks; ++b) {
    made.part_at[b + 1] = made.part_at[b] + shape->image_bytes(entries[b]);
  }
  made.parts = DeviceBuffer<std::byte>(made.part_at[shape->blocks]);
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
  std::ranges::copy(graph.part_at, searches.part_at);
  return searches;
}

void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream) {
  const ResidentLaunch launch(searches.shape, stream);
  BFSLAB_CUDA(cudaLaunchKernelEx(&launch.config, kernel_of(searches.shape), searches, log_kind));
}

}  // namespace bfslab::cuda
