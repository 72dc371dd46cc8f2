// SPDX-License-Identifier: Apache-2.0
// A search of a resident graph, by the threads of one block of the cluster (resident.hpp).
#pragma once

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#include <cuda/ptx>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/engines/fused/resident.hpp"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

// Clusters need compute capability 9; first_resident_shape() finds no shape for other devices.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace ptx = ::cuda::ptx;

// A warp takes a row that is too long for a team, up to this many neighbours; a block longer ones.
constexpr std::uint32_t kMaxWarpRow = 1024;

// Counters in shared memory, for the threads of a block and the blocks that send to it.
struct ResidentCounts {
  // For levels of each parity; 0 when a search begins.
  struct Queued {
    std::uint32_t more, longest;  // rows, by their lengths
    std::uint32_t vertices;       // if levels are logged
  };
  Queued queued[2];
  // For levels of each parity: complete when all blocks have sent to this one, and it to all.
  std::uint64_t received[2];
};

// Functions, so that compilers see that both point to shared memory.
__device__ inline std::byte* resident_memory() {
  extern __shared__ __align__(16) std::byte memory[];
  return memory;
}
__device__ inline ResidentCounts& resident_counts() {
  __shared__ ResidentCounts counts;
  return counts;
}

// The search by the threads of one block. Places and levels have Id's width.
template <typename Id, bool kParents>
struct ResidentBlock {
  static constexpr Id kNoLevel = static_cast<Id>(~Id{0});
  static constexpr unsigned kMaxPlanes = kResidentRows / (32 * kResidentTeams);
  static constexpr unsigned kSendersOfLane = kResidentBlocks / kResidentLanes;

  const ResidentSearches& work;
  const unsigned rank;  // of the block in its cluster
  const unsigned team = threadIdx.x / kResidentLanes;
  const unsigned lane = threadIdx.x % kResidentLanes;  // of the team
  unsigned phases = 0;                                 // bit p: the phase of counts.received[p]
  // The block that the thread's warp sends to, the thread's first word and the distance to its
  // next. In that block's memory: the words for even levels and the barrier that counts them.
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
    there = cluster().map_shared_rank(received(0, rank), to);
    complete_there = cluster().map_shared_rank(&resident_counts().received[0], to);
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
  [[nodiscard]] __device__ std::uint32_t* senders() const {
    return in_memory<std::uint32_t>(shape().senders_at());
  }
  // Returns the parents that `block` has stored, [places].
  [[nodiscard]] __device__ vertex_t* candidates(unsigned block) const {
    return work.candidates + block * shape().places();
  }
  [[nodiscard]] __device__ std::uint32_t* reached() const {
    return in_memory<std::uint32_t>(shape().reached_at());
  }
  // Returns the words from `block`, for levels of that parity.
  [[nodiscard]] __device__ std::uint32_t* received(unsigned parity, unsigned block) const {
    return in_memory<std::uint32_t>(shape().received_at(parity)) + block * shape().words_sent();
  }

  [[nodiscard]] __device__ bool is_first_thread() const { return rank == 0 && threadIdx.x == 0; }
  [[nodiscard]] __device__ bool logs() const { return work.log.head != nullptr; }

  // Loads the block's part of the graph, once, before anything else. No thread reads it, or sends
  // to another block, before all have synchronised.
  __device__ void begin() const {
    constexpr std::uint32_t kBytes = 16;
    const std::uint32_t bytes = work.part_at[rank + 1] - work.part_at[rank];
    const std::byte* const part = work.parts + work.part_at[rank];
    for (std::uint32_t at = threadIdx.x * kBytes; at < bytes; at += kResidentThreads * kBytes) {
      __pipeline_memcpy_async(resident_memory() + at, part + at, kBytes);
    }
    __pipeline_commit();
    if (threadIdx.x == 0) {
      for (std::uint64_t& each : resident_counts().received) {
        ptx::mbarrier_init(&each, kResidentThreads / 32);
      }
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __pipeline_wait_prior(0);
  }

  // Prepares a search from `source`, as if the source's block had sent its bit.
  __device__ void reset(vertex_t source) const {
    const std::uint32_t words = shape().words();
    for (std::uint32_t w = threadIdx.x; w < shape().blocks * words; w += kResidentThreads) {
      reached()[w] = 0;
    }
    const std::uint32_t place = shape().place_of(source);
    for (std::uint32_t w = threadIdx.x; w < shape().words_received(); w += kResidentThreads) {
      const bool is_sources = w < words && place / 32 == rank * words + w;
      received(0, 0)[w] = is_sources ? 1U << place % 32 : w == words ? 1 : 0;
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
  // Called by all lanes of the team; long rows are queued.
  __device__ void take_or_queue(std::uint32_t row, ResidentCounts::Queued& queued) const {
    const std::uint32_t count = begins()[row + 1] - begins()[row];
    if (count <= kMaxTeamRow) {
      take_row(row, lane, kResidentLanes);
    } else if (lane == 0) {
      const auto id = static_cast<std::uint16_t>(row);
      if (count <= kMaxWarpRow) {
        queue()[atomicAdd(&queued.more, 1U)] = id;
      } else {
        queue()[shape().max_queued() - 1 - atomicAdd(&queued.longest, 1U)] = id;
      }
    }
  }
  // Called by all threads, after all have queued.
  __device__ void take_queued(const ResidentCounts::Queued& queued) const {
    for (std::uint32_t i = threadIdx.x / 32; i < queued.more; i += kResidentThreads / 32) {
      take_row(queue()[i], lane_id(), 32);
    }
    for (std::uint32_t i = 0; i < queued.longest; ++i) {
      take_row(queue()[shape().max_queued() - 1 - i], threadIdx.x, kResidentThreads);
    }
  }

  // --- Levels.

  // Returns the number that the lane's block sent with its bits: how many vertices of the level
  // before it has if levels are logged, otherwise whether it has any.
  [[nodiscard]] __device__ std::uint32_t number_received(unsigned parity) const {
    return lane_id() < shape().blocks ? received(parity, lane_id())[shape().words()] : 0;
  }

  // Sends the bits that the block has reached, with `number`, to all blocks, for the next level, of
  // that parity. Called by all threads once all neighbours are reached.
  __device__ void send(unsigned parity, std::uint32_t number) const {
    const std::uint32_t words = shape().words();
    const std::uint32_t* const from = reached() + to * words;
    for (std::uint32_t w = first_word; w <= words; w += words_apart) {
      const uint4 quad =
          w < words ? *reinterpret_cast<const uint4*>(from + w) : uint4{number, 0, 0, 0};
      stress_pause();
      ptx::st_async(there + parity * shape().words_received() + w, {quad.x, quad.y, quad.z, quad.w},
                    complete_there + parity);
    }
    // No thread of this block receives, and reaches more, before each warp has read what it sends.
    stress_pause();
    __syncwarp();
    std::uint64_t* const complete = &resident_counts().received[parity];
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, complete,
                                     shape().words_received() * 4);
    } else if (lane_id() == 0) {
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, complete);
    }
  }
  // Waits for the words of all blocks for a level of that parity.
  __device__ void receive(unsigned parity) {
    std::uint64_t* const complete = &resident_counts().received[parity];
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

  // Labels the team's new vertices among those received, in the plane's field; reaches neighbours.
  __device__ void advance(level_t level, unsigned plane, std::uint32_t& visited,
                          std::uint32_t& count) const {
    const std::uint32_t at = (plane * kResidentTeams + team) * shape().width;
    const std::uint32_t* const bits_received = received(level % 2, lane) + at / 32;
    std::uint32_t bits = 0;
    std::uint32_t bits_of[kSendersOfLane] = {};  // of blocks lane, lane + kResidentLanes, ...
#pragma unroll
    for (unsigned i = 0; i < kSendersOfLane; ++i) {
      const unsigned first = i * kResidentLanes;
      if (first + lane < shape().blocks) bits_of[i] = bits_received[first * shape().words_sent()];
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
        for (unsigned i = 0; i < kSendersOfLane; ++i) {
          // Any of several is valid.
          if ((bits_of[i] >> (at % 32 + bit) & 1U) != 0) {
            atomicExch(&senders()[row], i * kResidentLanes + lane);
          }
        }
      }
      take_or_queue(row, resident_counts().queued[level % 2]);
    }
  }
  // Runs level after level, from what reset() has sent. Called by all threads of all blocks, which
  // have synchronised since. Returns the number of levels.
  __device__ level_t run_levels(unsigned log_kind) {
    ResidentCounts& counts = resident_counts();
    const bool counts_any = logs() || shape().long_rows;
    std::uint32_t visited[kMaxPlanes] = {};
    for (level_t level = 0;; ++level) {
      const unsigned parity = level % 2;
      if (level > 0) {
        receive(parity);
        if (logs()) log_level(level - 1, sum_of_warp(number_received(parity)), log_kind);
      }
      std::uint32_t found = 0;
#pragma unroll
      for (unsigned plane = 0; plane < kMaxPlanes; ++plane) {
        if (plane < shape().planes) advance(level, plane, visited[plane], found);
      }
      if (logs() && lane == 0 && found != 0) {
        atomicAdd(&counts.queued[parity].vertices, found);
      }
      std::uint32_t number = __syncthreads_or(static_cast<int>(found != 0)) != 0 ? 1 : 0;
      if (number == 0 && !__any_sync(kAllLanes, static_cast<int>(number_received(parity) != 0))) {
        return level - 1;  // no block had any at the level before
      }
      if (counts_any) {
        const ResidentCounts::Queued queued = counts.queued[parity];
        if (queued.more + queued.longest > 0) {
          take_queued(queued);
          __syncthreads();
        }
        if (logs()) number = queued.vertices;
        // All threads have finished with what the level before queued, and the next level queues
        // nothing before it has received from this block, too.
        if (threadIdx.x == 0) counts.queued[parity ^ 1U] = {};
      }
      send(parity ^ 1U, number);
    }
  }

  // --- The answer.

  // Writes the answer of the block's part. If each level has one vertex, all are reached, and the
  // level of the last may be the number that otherwise means unreached.
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
      cluster().barrier_wait();  // all have stored all candidates
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
    return candidates(senders()[row])[shape().place_of(rank, row)];
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
      if (work.times_ns == nullptr) return;  // a single search
      cluster().sync();
      note_time(search, 1);
    }
  }
};

#endif

}  // namespace bfslab::cuda
