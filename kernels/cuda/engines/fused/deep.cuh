// SPDX-License-Identifier: Apache-2.0
// Levels of a few thousand vertices in graphs of small degrees, too many for one block and too few
// for the grid: a cluster of eight blocks goes through level after level by itself. Each block has
// a part of the frontier in its shared memory, ids and rows; a vertex that is found goes to the
// block that its id says, with its row, so that the parts stay alike. A level is one wait for
// memory (the claim and the row together; two for rows of more than four neighbours), one remote
// append, and one barrier of the cluster. Frontiers of up to 256 vertices are the first block's
// alone, without that barrier.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/engines/fused/levels.cuh"

namespace bfslab::cuda {

inline constexpr unsigned kDeepBlocks = 8;

struct FusedDeep {
  static constexpr std::uint32_t kRows = FusedShared::kSmallRows;          // of a block
  static constexpr std::uint64_t kMostVertices = kDeepBlocks * kRows / 2;  // of a frontier
  static constexpr std::uint64_t kAlone = 256;                             // of one block's
  static constexpr std::uint32_t kMostEdges = 2048;                        // of its long rows
  // A longer row counts as so many edges, of which a sum has room for all that a level can find.
  static constexpr std::uint32_t kManyEdges = 1U << 14;

  // Of a part of a frontier.
  struct Held {
    std::uint32_t vertices;   // what does not fit is counted, too
    std::uint32_t long_rows;  // that are listed
    std::uint32_t edges;      // of all long rows
  };

  FusedShared::Rows of[2];
  std::uint32_t before[kRows];  // edges before each long row
  Held held[3];                 // of levels
  Held all[kDeepBlocks];        // of all blocks, once a level is over
  Progress course;              // what the first block leaves to the others
};

// Blocks see each other's shared memory.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Adds `value` of each lane that is here to *sum, by one atomic among the lanes that are here
// together.
__device__ inline void add_together(std::uint32_t* sum, std::uint32_t value) {
  const unsigned here = __activemask();
  const std::uint32_t of_all = __reduce_add_sync(here, value);
  if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(here)) - 1) atomicAdd(sum, of_all);
}

template <bool kQuads, typename Offset>
struct FusedDeepLevels {
  const FusedWork<Offset>& work;
  FusedDeep& mine;
  cooperative_groups::cluster_group cluster;

  // Into a part of `level`'s frontier. What does not fit waits in the queue of the level before.
  // `alone`: the part is the block's own, and no other adds to it.
  template <bool kAlone>
  __device__ __forceinline__ void put(FusedDeep& there, level_t level, vertex_t v,
                                      uint4 row) const {
    FusedDeep::Held& held = there.held[level % 3];
    const auto place_in = [](std::uint32_t* count) {
      return kAlone ? append_place(count) : atomicAdd(count, 1U);
    };
    const std::uint32_t place = place_in(&held.vertices);
    if (place >= FusedDeep::kRows) {
      work.queues[(level + 1) % 2][atomicAdd(&work.slots.at(level)->candidates, 1U)] = v;
      return;
    }
    FusedShared::Rows& of = there.of[level % 2];
    of.ids[place] = v;
    of.rows[place] = row;
    if (!FusedRow::is_long(row)) return;
    if constexpr (kQuads) of.listed[place_in(&held.long_rows)] = static_cast<std::uint16_t>(place);
    const std::uint32_t edges = min(FusedRow::count(row), FusedDeep::kManyEdges);
    if constexpr (kAlone) {
      add_together(&held.edges, edges);
    } else {
      atomicAdd(&held.edges, edges);
    }
  }

  // visit(from, to) of every edge of the block's part of the frontier. All threads of a block.
  template <typename Visit>
  __device__ void expand(level_t level, Visit visit) const {
    const FusedDeep::Held& held = mine.held[level % 3];
    const std::uint32_t fit = min(held.vertices, FusedDeep::kRows);
    const FusedFrontier<kQuads> frontier{mine.of[level % 2], fit, kQuads ? held.long_rows : fit,
                                         mine.before};
    const unsigned edges = frontier.sum_long();
    frontier.each_edge(work.out.columns, edges, visit);
  }

  // By all blocks together. `gathers`: what is found goes to the first one.
  __device__ void expand_together(level_t level, bool gathers) const {
    expand(level, [&](vertex_t from, vertex_t to) {
      uint4 row;
      if (!fused_take<kQuads>(work, level, from, to, row)) return;
      const unsigned block = gathers ? 0 : (to * 2654435761U) >> 29;
      put<false>(*cluster.map_shared_rank(&mine, block), level + 1, to, row);
    });
  }

  __device__ void log(level_t level, std::uint64_t searched) const {
    if (cluster.thread_rank() != 0 || work.log.head == nullptr) return;
    work.log.level_is(level, kFusedSmall);
    LevelSlot slot;
    slot.queued[0] = static_cast<std::uint32_t>(searched);
    slot.vertices = searched;
    work.log.level_ended(level, slot);
  }

  // How many vertices all blocks hold of `level`'s frontier. All threads of the cluster, which
  // meet.
  __device__ std::uint32_t found(level_t level) const {
    cluster.sync();
    if (threadIdx.x < kDeepBlocks) {
      mine.all[threadIdx.x] = cluster.map_shared_rank(&mine, threadIdx.x)->held[level % 3];
    }
    if (threadIdx.x == 0) mine.held[(level + 2) % 3] = {};  // nobody adds before all meet again
    __syncthreads();
    std::uint32_t all = 0;
    for (const FusedDeep::Held& each : mine.all) all += each.vertices;
    return all;
  }

  // Whether every part of the frontier is where it belongs, and not too much for its block.
  [[nodiscard]] __device__ bool all_fit() const {
    bool fit = true;
    for (const FusedDeep::Held& each : mine.all) {
      fit = fit && each.vertices <= FusedDeep::kRows && each.edges <= FusedDeep::kMostEdges;
    }
    return fit;
  }

  // The first block's, which holds the whole frontier: levels by itself while they are small, at
  // least one. All its threads.
  __device__ Progress alone(Progress at) const {
    for (;;) {
      const level_t level = at.level;
      const std::uint64_t searched = at.frontier;
      expand(level, [&](vertex_t from, vertex_t to) {
        uint4 row;
        if (fused_take<kQuads>(work, level, from, to, row)) put<true>(mine, level + 1, to, row);
      });
      __syncthreads();
      const FusedDeep::Held held = mine.held[(level + 1) % 3];
      if (threadIdx.x == 0) mine.held[level % 3] = {};  // nobody adds to it in the next level
      at.advance(held.vertices, 0, false);
      log(level, searched);
      if (held.vertices == 0 || held.vertices > FusedDeep::kAlone ||
          held.edges > FusedDeep::kMostEdges) {
        return at;
      }
    }
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
    const auto kept_by = [&](unsigned block) {
      return min(mine.all[block].vertices, FusedDeep::kRows);
    };
    std::uint32_t place = 0;
    for (unsigned b = 0; b < cluster.block_rank(); ++b) place += kept_by(b);
    const std::uint32_t own = kept_by(cluster.block_rank());
    vertex_t* const queue = work.queues[at.level % 2];
    unsigned long long edges = 0;
    const auto queue_at = [&](std::uint32_t to, vertex_t v) {
      queue[to] = v;
      edges += degree_of(work.out, v);
    };
    for (std::uint32_t i = threadIdx.x; i < own; i += kFusedThreads) {
      queue_at(place + i, mine.of[at.level % 2].ids[i]);
    }
    const auto kept = static_cast<std::uint32_t>(at.frontier) - parked;
    for (std::uint32_t i = cluster.thread_rank(); i < parked; i += cluster.num_threads()) {
      queue_at(kept + i, work.queues[(at.level + 1) % 2][i]);
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
template <bool kQuads, typename Offset>
__device__ void fused_deep(const FusedWork<Offset>& work, vertex_t source) {
  auto& mine = *reinterpret_cast<FusedDeep*>(fused_shared());
  const FusedDeepLevels<kQuads, Offset> levels{work, mine, cooperative_groups::this_cluster()};
  fused_reset(work, source);
  const bool first_block = levels.cluster.block_rank() == 0;
  const bool begins = source < work.vertices;
  if (threadIdx.x == 0) {
    for (FusedDeep::Held& each : mine.held) each = {};
    if (first_block && begins) {
      levels.template put<true>(mine, 0, source, fused_row<kQuads>(work, source));
    }
  }
  if (levels.cluster.thread_rank() == 0) work.log.starts();
  Progress at;
  at.edges = at.all_edges = begins ? degree_of(work.out, source) : 0;
  at.frontier = levels.found(0);
  while (at.frontier > 0 && at.frontier <= FusedDeep::kMostVertices && levels.all_fit()) {
    const bool gathers = at.frontier <= FusedDeep::kAlone;
    if (gathers && mine.all[0].vertices == at.frontier) {
      if (first_block) {
        at = levels.alone(at);
        if (threadIdx.x == 0) mine.course = at;
      }
      levels.cluster.sync();
      at = levels.cluster.map_shared_rank(&mine, 0)->course;
      levels.found(at.level);
    } else {
      const std::uint64_t searched = at.frontier;
      levels.expand_together(at.level, gathers);
      at.advance(levels.found(at.level + 1), 0, false);
      levels.log(at.level - 1, searched);
    }
  }
  levels.leave(at);
}

#endif

}  // namespace bfslab::cuda
