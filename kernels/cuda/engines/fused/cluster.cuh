// SPDX-License-Identifier: Apache-2.0
// Levels of a few thousand vertices in graphs of small degrees, too many for one block and too few
// for the grid. A cluster of eight blocks runs level after level alone, from the source on.
//
// Each block has a part of the frontier in its shared memory, ids and rows. A found vertex goes
// with its row to the block that its id selects, so that the parts stay balanced. A level is one
// wait for memory (the claim and the row together; two where a row has several parts, and for what
// does not fit in a packed row), one remote append, and one barrier of the cluster. The first block
// alone, without that barrier, runs frontiers of up to 256 vertices, or of up to 85 or 64 if rows
// have room for more than four neighbours.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/engines/fused/small_frontier.cuh"
#include "kernels/cuda/fused/reset.cuh"

namespace bfslab::cuda {

inline constexpr unsigned kClusterBlocks = 8;

// Shared memory of a block: its part of the frontier, and of the next one.
template <unsigned kPacked>
struct FusedClusterPart {
  static constexpr std::uint32_t kRows = kPacked > 4 ? 1024 : 2048;          // of a block
  static constexpr std::uint64_t kMaxVertices = kClusterBlocks * kRows / 2;  // of a frontier
  // The largest frontier of the first block alone, whose threads have at most one neighbour each.
  static constexpr std::uint64_t kAlone = kFusedThreads / (kPacked > 4 ? kPacked : 4);
  // The edges of a block's long rows, and of all packed neighbours if rows have more than four.
  static constexpr std::uint32_t kMaxEdges = kPacked > 4 ? 4096 : 2048;
  // A longer row counts as this many edges, so that a sum can hold all that a level can find.
  static constexpr std::uint32_t kManyEdges = 1U << 14;

  // The counts of a part of a frontier.
  struct Held {
    std::uint32_t vertices;   // including those that do not fit
    std::uint32_t long_rows;  // listed ones
    std::uint32_t edges;      // of all long rows

    [[nodiscard]] __device__ bool fits() const {
      return vertices <= kRows && edges + (kPacked > 4 ? vertices * kPacked : 0) <= kMaxEdges;
    }
  };

  // The counts of a frontier, once the level that found it is over.
  struct Total {
    std::uint32_t vertices;
    std::uint32_t of_first;  // in the first block
    bool fits;               // every part is in its place, and not too large for its block
  };

  using Rows = FusedHeldRows<kPacked, kRows>;

  Rows rows[2];
  std::uint32_t before[kRows];         // edges before each long row
  Held held[3];                        // of levels
  std::uint32_t kept[kClusterBlocks];  // per block
  Total total;
  level_t level;              // where the first block stops running alone,
  std::uint32_t searched;     // and the size of the frontier that found that level
  vertex_t visited;           // vertices, with the frontier: of the first block
  std::uint64_t first_edges;  // of the source
};

// Blocks access each other's shared memory.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Adds `value` of each active lane to *sum, by one atomic for all of them.
__device__ inline void add_together(std::uint32_t* sum, std::uint32_t value) {
  const unsigned here = __activemask();
  const std::uint32_t of_all = __reduce_add_sync(here, value);
  if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(here)) - 1) atomicAdd(sum, of_all);
}

// The results of some claims of a thread, requested at once so that it waits for memory once.
template <unsigned kPacked, unsigned kAtOnce>
struct FusedClaims {
  FusedRow<kPacked> row[kAtOnce];
  bool taken[kAtOnce];  // no thread had taken it
};

// Claims the vertices that are not kNoVertex. Rows are requested with the claims, or after them.
template <unsigned kPacked, unsigned kAtOnce, typename Offset>
__device__ __forceinline__ FusedClaims<kPacked, kAtOnce> fused_take_each(
    const FusedWork<Offset>& work, const vertex_t (&to)[kAtOnce]) {
  FusedClaims<kPacked, kAtOnce> claims;
  std::uint32_t had[kAtOnce] = {};
  const auto open = [&](unsigned k) { return (had[k] >> to[k] % 32 & 1U) == 0; };
  for (unsigned k = 0; k < kAtOnce; ++k) {
    if (to[k] == kNoVertex) had[k] = ~0U;
  }
  if constexpr (kPacked == 0) {
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (open(k)) had[k] = fresh(work.visited + to[k] / 32);
    }
  }
  for (unsigned k = 0; k < kAtOnce; ++k) {
    if (!open(k)) continue;
    if constexpr (!kClaimsFirst<kPacked>) claims.row[k] = fused_row<kPacked>(work, to[k]);
    had[k] = atomicOr(work.visited + to[k] / 32, 1U << to[k] % 32);
  }
  for (unsigned k = 0; k < kAtOnce; ++k) {
    claims.taken[k] = open(k);
    if constexpr (kClaimsFirst<kPacked>) {
      if (claims.taken[k]) claims.row[k] = fused_row<kPacked>(work, to[k]);
    }
  }
  return claims;
}

template <unsigned kPacked, typename Offset>
struct FusedClusterLevels {
  using Part = FusedClusterPart<kPacked>;
  using Row = FusedRow<kPacked>;

  const FusedWork<Offset>& work;
  Part& own_part;
  cooperative_groups::cluster_group cluster;

  // Adds a vertex to a part of `level`'s frontier. Vertices that do not fit wait in the queue of
  // the level before. kAlone: the part is the block's own, and no other block adds to it.
  template <bool kAlone>
  __device__ __forceinline__ void put(Part& there, level_t level, vertex_t v,
                                      const Row& row) const {
    typename Part::Held& held = there.held[level % 3];
    const auto place_in = [](std::uint32_t* count) {
      return kAlone ? append_place(count) : atomicAdd(count, 1U);
    };
    const std::uint32_t place = place_in(&held.vertices);
    if (place >= Part::kRows) {
      work.queues[(level + 1) % 2][atomicAdd(&work.slots.at(level)->candidates, 1U)] = v;
      return;
    }
    typename Part::Rows& rows = there.rows[level % 2];
    rows.ids[place] = v;
    rows.rows[place] = row;
    if (!row.is_long()) return;
    if constexpr (kPacked > 0) {
      rows.listed[place_in(&held.long_rows)] = static_cast<std::uint16_t>(place);
    }
    const std::uint32_t edges = min(row.count(), Part::kManyEdges);
    if constexpr (kAlone) {
      add_together(&held.edges, edges);
    } else {
      atomicAdd(&held.edges, edges);
    }
  }

  // Visits every edge of the block's part of the frontier: labels each newly found vertex and calls
  // put_found(v, row). Called by all threads of a block.
  template <unsigned kAtOnce, typename PutFound>
  __device__ void expand(level_t level, PutFound put_found) const {
    const typename Part::Held& held = own_part.held[level % 3];
    const std::uint32_t fit = min(held.vertices, Part::kRows);
    const FusedFrontier<kPacked, typename Part::Rows> frontier{
        own_part.rows[level % 2], fit, kPacked > 0 ? held.long_rows : fit, own_part.before};
    const unsigned edges = frontier.sum_long();
    const auto each = [&](unsigned count, auto edge_at) {
      for (unsigned i = threadIdx.x; i < count; i += kAtOnce * kFusedThreads) {
        vertex_t from[kAtOnce], to[kAtOnce];
        for (unsigned k = 0; k < kAtOnce; ++k) {
          const unsigned at = i + k * kFusedThreads;
          to[k] = kNoVertex;
          if (at < count) edge_at(at, from[k], to[k]);
        }
        const auto claims = fused_take_each<kPacked>(work, to);
        for (unsigned k = 0; k < kAtOnce; ++k) {
          if (!claims.taken[k]) continue;
          fused_label(work, level + 1, from[k], to[k]);
          put_found(to[k], claims.row[k]);
        }
      }
    };
    if (kPacked == 4 && edges == 0) {  // as in most levels of roads and grids
      each(frontier.entries(),
           [&](unsigned i, vertex_t& from, vertex_t& to) { frontier.entry(i, from, to); });
    } else {
      each(frontier.entries() + edges, [&](unsigned i, vertex_t& from, vertex_t& to) {
        frontier.edge(work.out.columns, i, from, to);
      });
    }
  }

  // Expands the parts of all blocks together. `gathers`: finds go to the first block. A thread has
  // registers for two rows of one part, or for one of several.
  __device__ void expand_together(level_t level, bool gathers) const {
    expand<(kPacked > 4 ? 1 : 2)>(level, [&](vertex_t v, const Row& row) {
      const unsigned block = gathers ? 0 : (v * 2654435761U) >> 29;
      put<false>(*cluster.map_shared_rank(&own_part, block), level + 1, v, row);
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

  // Returns whether a frontier that grew to `vertices` from `searched` will find more than `max` if
  // it grows by the same factor again. Where rows have room for a dozen neighbours, the number of
  // vertices alone does not distinguish a mesh, whose levels hardly grow, from other graphs.
  __device__ static bool grows_beyond(std::uint64_t max, std::uint64_t vertices,
                                      std::uint64_t searched) {
    return kPacked > 4 && vertices * vertices > max * searched;
  }
  static constexpr std::uint64_t kMaxFound = 2 * kClusterBlocks * Part::kRows;

  // Sums what all blocks hold of `level`'s frontier, which was found from `searched` vertices.
  // Called by all threads of the cluster, which synchronise here.
  __device__ typename Part::Total found(level_t level, std::uint32_t searched) const {
    cluster.sync();
    if (threadIdx.x < kClusterBlocks) {
      constexpr unsigned kLanes = (1U << kClusterBlocks) - 1;
      const typename Part::Held held =
          cluster.map_shared_rank(&own_part, threadIdx.x)->held[level % 3];
      const std::uint32_t all = __reduce_add_sync(kLanes, held.vertices);
      const bool fits = __all_sync(kLanes, held.fits());
      if (threadIdx.x == 0) {
        own_part.total = {all, held.vertices, fits && !grows_beyond(kMaxFound, all, searched)};
        own_part.visited += all;
      }
      own_part.kept[threadIdx.x] = min(held.vertices, Part::kRows);
    }
    if (threadIdx.x == 0) own_part.held[(level + 2) % 3] = {};  // none adds before the next barrier
    __syncthreads();
    return own_part.total;
  }

  // Runs at least one level in the first block, which holds the whole frontier, and goes on while
  // levels are small. Called by all its threads.
  __device__ void alone(level_t level) const {
    for (;;) {
      const std::uint32_t searched = own_part.held[level % 3].vertices;
      expand<1>(level, [&](vertex_t v, const Row& row) { put<true>(own_part, level + 1, v, row); });
      __syncthreads();
      const typename Part::Held held = own_part.held[(level + 1) % 3];
      const bool ends = held.vertices == 0 || held.vertices > Part::kAlone || !held.fits() ||
                        grows_beyond(Part::kAlone, held.vertices, searched);
      if (threadIdx.x == 0) {
        log(level, searched);
        own_part.held[level % 3] = {};                 // no thread adds to it in the next level
        if (!ends) own_part.visited += held.vertices;  // the last ones are counted once more
        if (ends) {
          own_part.level = level + 1;
          own_part.searched = searched;
        }
      }
      ++level;
      if (ends) return;
    }
  }

  // Copies the frontier to its queue and its counts to its slot, for the grid to continue.
  __device__ void leave(level_t level, FusedRoot root) const {
    const std::uint32_t parked = work.slots.at(level)->candidates;
    cluster.sync();  // all have read it
    if (cluster.thread_rank() == 0) {
      for (level_t ahead = 0; ahead <= kClearedAhead; ++ahead) {
        *work.slots.at(level + ahead) = LevelSlot{};
      }
    }
    std::uint32_t place = 0;
    for (unsigned b = 0; b < cluster.block_rank(); ++b) place += own_part.kept[b];
    const std::uint32_t own = own_part.kept[cluster.block_rank()];
    vertex_t* const queue = work.queues[level % 2];
    unsigned long long edges = 0;
    const auto queue_at = [&](std::uint32_t to, vertex_t v) {
      queue[to] = v;
      edges += degree_of(work.out, v);
    };
    for (std::uint32_t i = threadIdx.x; i < own; i += kFusedThreads) {
      queue_at(place + i, own_part.rows[level % 2].ids[i]);
    }
    const std::uint32_t found = own_part.total.vertices;
    const std::uint32_t kept = found - parked;
    for (std::uint32_t i = cluster.thread_rank(); i < parked; i += cluster.num_threads()) {
      queue_at(kept + i, work.queues[(level + 1) % 2][i]);
    }
    cluster.sync();  // the slots are clear
    LevelSlot& slot = *work.slots.at(level);
    add_of_block(edges, &slot.edges);
    cluster.sync();
    if (cluster.thread_rank() != 0) return;
    slot.queued[0] = slot.vertices = found;
    FusedCourse course;
    course.at.level = level;
    course.at.frontier = found;
    course.at.visited = own_part.visited;
    course.at.edges = slot.edges;
    // The edges of the levels between are few, and not counted.
    course.at.all_edges = slot.edges + (level > root.level ? own_part.first_edges : 0);
    course.clear[0] = course.clear[1] = true;
    *work.course = course;
  }
};

// Runs levels from the source on, until the frontier is empty or large. All threads of one cluster.
template <unsigned kPacked, typename Offset>
__device__ void fused_cluster(const FusedWork<Offset>& work, vertex_t source) {
  using Part = FusedClusterPart<kPacked>;
  auto& own_part = *reinterpret_cast<Part*>(fused_shared());
  const FusedClusterLevels<kPacked, Offset> levels{work, own_part,
                                                   cooperative_groups::this_cluster()};
  const FusedRoot root = fused_root(work, source);
  fused_reset(work, source, root);
  if (threadIdx.x == 0) {
    for (typename Part::Held& each : own_part.held) each = {};
    own_part.visited = 0;
    own_part.first_edges = 0;
    if (levels.cluster.block_rank() == 0 && root.vertex < work.vertices) {
      levels.template put<true>(own_part, root.level, root.vertex,
                                fused_row<kPacked>(work, root.vertex));
      own_part.first_edges = degree_of(work.out, root.vertex);
    }
  }
  if (levels.cluster.thread_rank() == 0) {
    work.log.starts();
    if (root.level > 0) fused_log_alone(work.log, kFusedSmall);
  }
  level_t level = root.level;
  std::uint32_t searched = 1;
  typename Part::Total total = levels.found(level, searched);
  while (total.vertices > 0 && total.vertices <= Part::kMaxVertices && total.fits) {
    const bool gathers = total.vertices <= Part::kAlone &&
                         !levels.grows_beyond(Part::kAlone, total.vertices, searched);
    if (gathers && total.of_first == total.vertices) {
      if (levels.cluster.block_rank() == 0) levels.alone(level);
      levels.cluster.sync();
      const Part& first = *levels.cluster.map_shared_rank(&own_part, 0);
      level = first.level;
      searched = first.searched;
      total = levels.found(level, searched);
    } else {
      searched = total.vertices;
      levels.expand_together(level, gathers);
      total = levels.found(level + 1, searched);
      levels.log(level, searched);
      ++level;
    }
  }
  levels.leave(level, root);
}

#endif

}  // namespace bfslab::cuda
