// SPDX-License-Identifier: Apache-2.0
// Levels of a few thousand vertices in graphs of small degrees, too many for one block and too few
// for the grid: a cluster of eight blocks goes through level after level by itself. Each block has
// a part of the frontier in its shared memory, ids and rows; a vertex that is found goes to the
// block that its id says, with its row, so that the parts stay alike. A level is one wait for
// memory (the claim and the row together), one remote append, and one barrier of the cluster.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/engines/fused/levels.cuh"

namespace bfslab::cuda {

inline constexpr unsigned kDeepBlocks = 8;

struct FusedDeep {
  static constexpr std::uint32_t kRows = 2048;                             // of a block
  static constexpr std::uint64_t kMostVertices = kDeepBlocks * kRows / 2;  // of a frontier

  uint4 rows[2][kRows];
  vertex_t ids[2][kRows];
  std::uint32_t listed[kRows];  // quads of more than four neighbours
  std::uint32_t count[3];       // of levels; what does not fit is counted, too
  std::uint32_t many;
  std::uint32_t counts[kDeepBlocks];  // of all blocks, once a level is over
  unsigned long long edges;
};

// Blocks see each other's shared memory.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

template <typename Offset>
struct FusedDeepLevels {
  const FusedWork<Offset>& work;
  FusedDeep& mine;
  cooperative_groups::cluster_group cluster;

  // What does not fit into the block that it belongs to waits in the queue of the level before.
  __device__ __forceinline__ void visit(level_t level, vertex_t from, vertex_t to) const {
    const std::uint32_t bit = 1U << to % 32;
    const uint4 row = work.quads[to];
    if ((atomicOr(work.visited + to / 32, bit) & bit) != 0) return;
    atomicOr(work.before + to / 32, bit);
    work.levels[to] = level + 1;
    if (work.parents != nullptr) work.parents[to] = from;
    FusedDeep& there = *cluster.map_shared_rank(&mine, (to * 2654435761U) >> 29);
    const std::uint32_t place = atomicAdd(&there.count[(level + 1) % 3], 1U);
    if (place < FusedDeep::kRows) {
      there.ids[(level + 1) % 2][place] = to;
      there.rows[(level + 1) % 2][place] = row;
    } else {
      work.queues[level % 2][atomicAdd(&work.slots.at(level + 1)->candidates, 1U)] = to;
    }
  }

  // Every edge of the block's part of the frontier.
  __device__ void expand(level_t level) const {
    const std::uint32_t count = min(mine.count[level % 3], FusedDeep::kRows);
    const auto* const neighbors = reinterpret_cast<const vertex_t*>(mine.rows[level % 2]);
    for (std::uint32_t i = threadIdx.x; i < 4 * count; i += kFusedThreads) {
      const vertex_t to = neighbors[i];
      if (to == kMoreNeighbors) {
        mine.listed[append_place(&mine.many)] = i / 4;
      } else if (to != kNoVertex) {
        visit(level, mine.ids[level % 2][i / 4], to);
      }
    }
    __syncthreads();
    const std::uint32_t many = mine.many;
    for (std::uint32_t k = 0; k < many; ++k) {
      const vertex_t from = mine.ids[level % 2][mine.listed[k]];
      const std::uint64_t end = work.out.row_offsets[from + std::size_t{1}];
      for (std::uint64_t e = std::uint64_t{work.out.row_offsets[from]} + 3 + threadIdx.x; e < end;
           e += kFusedThreads) {
        visit(level, from, work.out.columns[e]);
      }
    }
  }

  // How many vertices all blocks have found for `level`. All threads of the cluster, which meet.
  __device__ std::uint32_t found(level_t level) const {
    cluster.sync();
    if (threadIdx.x < kDeepBlocks) {
      mine.counts[threadIdx.x] = cluster.map_shared_rank(&mine, threadIdx.x)->count[level % 3];
    }
    if (threadIdx.x == 0) {
      mine.many = 0;
      mine.count[(level + 2) % 3] = 0;  // nobody adds to it before all have met again
    }
    __syncthreads();
    std::uint32_t all = 0;
    for (const std::uint32_t each : mine.counts) all += each;
    return all;
  }

  // Whether every part of the frontier is where it belongs.
  [[nodiscard]] __device__ bool all_fit() const {
    bool fit = true;
    for (const std::uint32_t each : mine.counts) fit = fit && each <= FusedDeep::kRows;
    return fit;
  }

  // Lays the frontier out in its queue, its counts in its slot, for the grid to go on from.
  __device__ void leave(Progress at) const {
    const std::uint32_t parked = work.slots.at(at.level)->candidates;
    cluster.sync();  // all have read it
    if (cluster.thread_rank() == 0) {
      for (level_t ahead = 0; ahead <= kClearedAhead; ++ahead) {
        *work.slots.at(at.level + ahead) = LevelSlot{};
      }
    }
    std::uint32_t place = 0;
    for (unsigned b = 0; b < cluster.block_rank(); ++b)
      place += min(mine.counts[b], FusedDeep::kRows);
    const std::uint32_t own = min(mine.counts[cluster.block_rank()], FusedDeep::kRows);
    vertex_t* const queue = work.queues[at.level % 2];
    unsigned long long edges = 0;
    const auto put = [&](std::uint32_t to, vertex_t v) {
      queue[to] = v;
      edges += degree_of(work.out, v);
    };
    for (std::uint32_t i = threadIdx.x; i < own; i += kFusedThreads) {
      put(place + i, mine.ids[at.level % 2][i]);
    }
    const auto kept = static_cast<std::uint32_t>(at.frontier) - parked;
    for (std::uint32_t i = cluster.thread_rank(); i < parked; i += cluster.num_threads()) {
      put(kept + i, work.queues[(at.level + 1) % 2][i]);
    }
    cluster.sync();  // the slots are clear
    LevelSlot& slot = *work.slots.at(at.level);
    add_of_block(edges, &slot.edges);
    cluster.sync();
    if (cluster.thread_rank() != 0) return;
    slot.queued[0] = static_cast<std::uint32_t>(at.frontier);
    slot.vertices = at.frontier;
    at.edges = slot.edges;
    at.all_edges += slot.edges;
    FusedCourse course;
    course.at = at;
    course.clear[0] = course.clear[1] = true;
    *work.course = course;
  }
};

// From the source on, until the frontier is empty or large. All threads of one cluster.
template <typename Offset>
__device__ void fused_deep(const FusedWork<Offset>& work, vertex_t source) {
  auto& mine = *reinterpret_cast<FusedDeep*>(fused_shared());
  const FusedDeepLevels<Offset> levels{work, mine, cooperative_groups::this_cluster()};
  fused_reset(work, source);
  const bool first_block = levels.cluster.block_rank() == 0;
  const bool begins = source < work.vertices;
  if (threadIdx.x == 0) {
    mine.many = 0;
    for (std::uint32_t& each : mine.count) each = 0;
    if (first_block && begins) {
      mine.count[0] = 1;
      mine.ids[0][0] = source;
      mine.rows[0][0] = work.quads[source];
    }
  }
  if (levels.cluster.thread_rank() == 0) work.log.starts();
  Progress at;
  at.edges = at.all_edges = begins ? degree_of(work.out, source) : 0;
  at.frontier = levels.found(0);
  while (at.frontier > 0 && at.frontier <= FusedDeep::kMostVertices && levels.all_fit()) {
    const auto searched = static_cast<std::uint32_t>(at.frontier);
    levels.expand(at.level);
    at.advance(levels.found(at.level + 1), 0, false);
    if (levels.cluster.thread_rank() == 0 && work.log.head != nullptr) {
      work.log.level_is(at.level - 1, kFusedSmall);
      LevelSlot slot;
      slot.queued[0] = slot.vertices = searched;
      work.log.level_ended(at.level - 1, slot);
    }
  }
  levels.leave(at);
}

#endif

}  // namespace bfslab::cuda
