// SPDX-License-Identifier: Apache-2.0
// Levels of a few thousand vertices in graphs without hubs, too many for one block and too few for
// the grid: a cluster of eight blocks goes through level after level by itself. Each block owns
// every eighth word of the visited bits, in its shared memory where they fit, and the frontier's
// vertices of these words. A level is:
//
//   send     every edge of the block's part of the frontier goes to the block that owns the
//            neighbour, into an inbox in its shared memory: no atomic of another block's, no wait
//   meet     one barrier of the cluster; with it goes what each block has sent
//   receive  who is not visited yet is labelled and joins the block's part of the next frontier
//
// so that the one wait for memory is that for the row. Rows of up to 4, 8, 16 or 32 neighbours lie
// packed at a fixed distance, whatever the graph's rows are like; a warp shares a longer one.
// Inboxes that are full are emptied by further rounds of the same level. Frontiers of which few
// edges are left are the first block's alone, which sets the owners' bits itself and meets nobody.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/engines/fused/levels.cuh"

namespace bfslab::cuda {

inline constexpr unsigned kDeepBlocks = 8;

// Of a block, in its shared memory; its part of the visited bits follows where they fit.
struct FusedDeep {
  static constexpr std::uint32_t kIds = 2048;    // of its part of a frontier; others are parked
  static constexpr std::uint32_t kInbox = 512;   // edges from one block at once
  static constexpr std::uint32_t kAlone = 256;   // edges of a level after which one block goes on
  static constexpr std::uint32_t kCrowd = 192;   // vertices with which it stops doing so
  static constexpr std::uint32_t kMany = 16384;  // edges of a level after which vertices count
  static constexpr std::uint32_t kMostVertices = 8192;  // of a frontier

  struct Edge {
    vertex_t from, to;
  };
  // What a block tells another with its edges, of one round of a level.
  struct Mail {
    std::uint32_t edges;      // to this one
    std::uint32_t all_edges;  // to all
    std::uint32_t vertices;   // that its part of the frontier has
    std::uint32_t more;       // whether edges are left for another round
  };

  alignas(16) Mail mail[2][kDeepBlocks];  // of rounds by turns, and from each block
  Edge inbox[2][kDeepBlocks][kInbox];
  vertex_t ids[2][kIds];            // of levels by turns
  std::uint32_t count[3];           // of levels by turns; those that are parked, too
  std::uint32_t sent[kDeepBlocks];  // to each block in this round; what found no room is counted
  level_t level;                    // where the first block leaves off alone
  std::uint64_t visited;            // of the first block: all that were searched from
  std::uint64_t first_edges;        // of the source
};

// The words of bits that a block owns.
BFSLAB_HOST_DEVICE inline std::uint32_t deep_words(std::uint32_t words) {
  return (words + kDeepBlocks - 1) / kDeepBlocks;
}

// Blocks see each other's shared memory.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Where a thread is in its share of a level's edges.
struct FusedDeepCursor {
  std::uint32_t part;       // of packed rows, four entries each
  unsigned unsent = 0xF;    // of its entries
  bool saw_long = false;    // a row that is not packed
  std::uint32_t group;      // of 32 vertices, whose long rows a warp shares
  unsigned done = 0;        // those of a group whose rows are done
  std::uint32_t at = 0;     // in such a row
  bool is_between = false;  // some lanes have sent their entry of it
  bool waits = false;       // this lane has not
};

// kLocal: visited bits lie in the blocks' shared memory, and reach the graph's at the end.
template <bool kLocal, typename Offset>
struct FusedDeepLevels {
  const FusedWork<Offset>& work;
  FusedDeep& mine;
  std::uint32_t* bits;  // the block's
  cooperative_groups::cluster_group cluster;

  [[nodiscard]] __device__ static unsigned owner_of(vertex_t v) { return v / 32 % kDeepBlocks; }
  // Where what does not fit into shared memory waits: in the queue of the level before.
  [[nodiscard]] __device__ vertex_t* parked(level_t level, unsigned block) const {
    return work.queues[(level + 1) % 2] + block * (deep_words(work.words) * 32);
  }
  [[nodiscard]] __device__ vertex_t frontier(level_t level, std::uint32_t i) const {
    return i < FusedDeep::kIds ? mine.ids[level % 2][i]
                               : parked(level, cluster.block_rank())[i - FusedDeep::kIds];
  }
  [[nodiscard]] __device__ uint4 part_of_row(vertex_t v, std::uint32_t part) const {
    return work.packed[(std::size_t{v} << work.packed_shift) + part];
  }

  // Whether nobody had it; then it is labelled. By the block that owns it, or kFar by any.
  template <bool kFar>
  __device__ __forceinline__ bool claim(level_t level, vertex_t from, vertex_t to) const {
    std::uint32_t* word = work.visited + to / 32;
    if constexpr (kLocal) {
      word = bits + to / 32 / kDeepBlocks;
      if constexpr (kFar) word = cluster.map_shared_rank(word, owner_of(to));
    }
    const std::uint32_t bit = 1U << to % 32;
    if ((atomicOr(word, bit) & bit) != 0) return false;
    work.levels[to] = level;
    if (work.parents != nullptr) work.parents[to] = from;
    return true;
  }

  // Into the block's part of `level`'s frontier.
  __device__ __forceinline__ void put(level_t level, vertex_t v) const {
    const std::uint32_t place = append_place(&mine.count[level % 3]);
    if (place < FusedDeep::kIds) {
      mine.ids[level % 2][place] = v;
    } else {
      parked(level, cluster.block_rank())[place - FusedDeep::kIds] = v;
    }
  }
  // Into the first block's, which has room for it.
  __device__ __forceinline__ void put_first(level_t level, vertex_t v) const {
    FusedDeep& first = *cluster.map_shared_rank(&mine, 0);
    first.ids[level % 2][atomicAdd(&first.count[level % 3], 1U)] = v;
  }

  // take(from, to) of the edges of a block's `count` vertices from where `cursor` is on; false: not
  // now, it is asked again in the next round. Returns whether that is so for any thread of the
  // block, all of which call it. Barriers of the block stand between what takes and the return.
  template <typename Take>
  __device__ bool each_edge(level_t level, std::uint32_t count, FusedDeepCursor& cursor,
                            Take take) const {
    bool more = !each_packed(level, count, cursor, take);
    if (__syncthreads_or(static_cast<int>(more || cursor.saw_long)) == 0) return false;
    if (__syncthreads_or(static_cast<int>(cursor.saw_long)) != 0) {
      more |= !each_long(level, count, cursor, take);
    }
    return __syncthreads_or(static_cast<int>(more)) != 0;
  }

  template <typename Take>
  __device__ __forceinline__ bool each_packed(level_t level, std::uint32_t count,
                                              FusedDeepCursor& cursor, Take take) const {
    const std::uint32_t in_row = (1U << work.packed_shift) - 1;
    for (; cursor.part < count << work.packed_shift; cursor.part += kFusedThreads) {
      const vertex_t from = frontier(level, cursor.part >> work.packed_shift);
      const uint4 four = part_of_row(from, cursor.part & in_row);
      if (FusedRow::is_long(four)) {
        cursor.saw_long = true;
        continue;
      }
      const vertex_t to[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (unsigned t = 0; t < 4; ++t) {
        const bool is_due = to[t] != kNoVertex && (cursor.unsent >> t & 1U) != 0;
        if (!is_due || take(from, to[t])) cursor.unsent &= ~(1U << t);
      }
      if (cursor.unsent != 0) return false;
      cursor.unsent = 0xF;
    }
    return true;
  }

  // Long rows, of 32 vertices in turn, a warp each.
  template <typename Take>
  __device__ bool each_long(level_t level, std::uint32_t count, FusedDeepCursor& cursor,
                            Take take) const {
    for (; cursor.group < count; cursor.group += kFusedThreads) {
      const std::uint32_t i = cursor.group + lane_id();
      const vertex_t own = i < count ? frontier(level, i) : kNoVertex;
      uint4 row{};
      if (i < count) row = part_of_row(own, (1U << work.packed_shift) - 1);
      unsigned rows = __ballot_sync(kAllLanes, FusedRow::is_long(row)) & ~cursor.done;
      for (; rows != 0; rows &= rows - 1) {
        const int lane = __ffs(static_cast<int>(rows)) - 1;
        const vertex_t from = __shfl_sync(kAllLanes, own, lane);
        const std::uint32_t entries = __shfl_sync(kAllLanes, row.z, lane);
        const vertex_t* const columns =
            work.out.columns + (std::uint64_t{__shfl_sync(kAllLanes, row.y, lane)} << 32 |
                                __shfl_sync(kAllLanes, row.x, lane));
        for (; cursor.at < entries; cursor.at += 32) {
          const std::uint32_t e = cursor.at + lane_id();
          const bool is_due = e < entries && (!cursor.is_between || cursor.waits);
          cursor.waits = is_due && !take(from, columns[e]);
          cursor.is_between = __any_sync(kAllLanes, cursor.waits) != 0;
          if (cursor.is_between) return false;
        }
        cursor.at = 0;
        cursor.done |= 1U << lane;
      }
      cursor.done = 0;
    }
    return true;
  }

  [[nodiscard]] __device__ static FusedDeepCursor start() {
    FusedDeepCursor cursor;
    cursor.part = threadIdx.x;
    cursor.group = threadIdx.x / 32 * 32;
    return cursor;
  }

  // What a round has told of all blocks, the same to each.
  struct Told {
    std::uint32_t edges = 0;
    std::uint32_t vertices = 0;
    bool more = false;
  };

  // One round: sends, meets, and tells. All threads of the cluster.
  __device__ Told send(level_t level, std::uint32_t count, FusedDeepCursor& cursor,
                       unsigned turn) const {
    const unsigned rank = cluster.block_rank();
    const bool more = each_edge(level, count, cursor, [&](vertex_t from, vertex_t to) {
      const unsigned owner = owner_of(to);
      const std::uint32_t place = atomicAdd(&mine.sent[owner], 1U);
      if (place >= FusedDeep::kInbox) return false;
      *cluster.map_shared_rank(&mine.inbox[turn][rank][place], owner) = {from, to};
      return true;
    });
    if (threadIdx.x < kDeepBlocks) {
      constexpr unsigned kLanes = (1U << kDeepBlocks) - 1;
      const std::uint32_t edges = min(mine.sent[threadIdx.x], FusedDeep::kInbox);
      const std::uint32_t all = __reduce_add_sync(kLanes, edges);
      *cluster.map_shared_rank(&mine.mail[turn][rank], threadIdx.x) = {edges, all, count,
                                                                       more ? 1U : 0U};
      mine.sent[threadIdx.x] = 0;
    }
    cluster.sync();
    Told told;
#pragma unroll
    for (unsigned b = 0; b < kDeepBlocks; ++b) {
      const FusedDeep::Mail each = mine.mail[turn][b];
      told.edges += each.all_edges;
      told.vertices += each.vertices;
      told.more |= each.more != 0;
    }
    return told;
  }

  // Of the edges that were sent here, those to vertices that nobody had found. `gathers`: the first
  // block gets them. All threads of a block.
  __device__ void receive(level_t level, unsigned turn, bool gathers) const {
    constexpr unsigned kWarps = kFusedWarps / kDeepBlocks;  // for each sender
    const unsigned sender = threadIdx.x / 32 % kDeepBlocks;
    const std::uint32_t edges = mine.mail[turn][sender].edges;
    for (std::uint32_t e = threadIdx.x / 32 / kDeepBlocks * 32 + lane_id(); e < edges;
         e += kWarps * 32) {
      const FusedDeep::Edge edge = mine.inbox[turn][sender][e];
      if (!claim<false>(level + 1, edge.from, edge.to)) continue;
      if (gathers) {
        put_first(level + 1, edge.to);
      } else {
        put(level + 1, edge.to);
      }
    }
  }

  // Once `level` is over. One thread of each block; nobody adds to that count before all meet
  // again.
  __device__ void close(level_t level, std::uint32_t searched) const {
    mine.count[level % 3] = 0;
    mine.visited += searched;
    if (cluster.block_rank() != 0 || work.log.head == nullptr) return;
    work.log.level_is(level, kFusedSmall);
    LevelSlot slot;
    slot.queued[0] = searched;
    slot.vertices = searched;
    work.log.level_ended(level, slot);
  }

  // By the first block, which holds the whole frontier: levels while they are small, at least one.
  // All its threads.
  __device__ level_t alone(level_t level) const {
    for (;;) {
      const std::uint32_t count = mine.count[level % 3];
      FusedDeepCursor cursor = start();
      each_edge(level, count, cursor, [&](vertex_t from, vertex_t to) {
        if (claim<true>(level + 1, from, to)) put(level + 1, to);
        return true;
      });
      const std::uint32_t found = mine.count[(level + 1) % 3];
      if (threadIdx.x == 0) close(level, count);
      ++level;
      if (found == 0 || found > FusedDeep::kCrowd) return level;
    }
  }

  // What the blocks hold of `level`'s frontier, once they have met: all, and those before.
  struct Held {
    std::uint32_t all = 0;
    std::uint32_t before = 0;
  };
  [[nodiscard]] __device__ Held held(level_t level) const {
    Held held;
#pragma unroll
    for (unsigned b = 0; b < kDeepBlocks; ++b) {
      const std::uint32_t count = *cluster.map_shared_rank(&mine.count[level % 3], b);
      held.all += count;
      if (b < cluster.block_rank()) held.before += count;
    }
    return held;
  }

  // Levels from the source, which the first block holds, on, until the frontier is empty or large.
  // All threads of the cluster, which have met.
  __device__ level_t run() const {
    level_t level = 0;
    unsigned turn = 0;
    bool is_first_block_s = true;
    for (;;) {
      if (is_first_block_s) {
        if (cluster.block_rank() == 0) {
          const level_t next = mine.count[level % 3] > 0 ? alone(level) : level;
          if (threadIdx.x == 0) mine.level = next;
        }
        cluster.sync();
        level = *cluster.map_shared_rank(&mine.level, 0);
        const std::uint32_t found = held(level).all;
        if (found == 0 || found > FusedDeep::kMostVertices) return level;
      }
      const std::uint32_t count = mine.count[level % 3];
      FusedDeepCursor cursor = start();
      std::uint32_t edges = 0;
      Told told;
      do {
        told = send(level, count, cursor, turn);
        if (told.vertices == 0) return level;  // the level before has found nobody
        edges += told.edges;
        is_first_block_s = !told.more && edges <= FusedDeep::kAlone;
        receive(level, turn, is_first_block_s);
        turn = 1 - turn;
      } while (told.more);
      if (threadIdx.x == 0) close(level, told.vertices);
      ++level;
      if (is_first_block_s || edges > FusedDeep::kMany) {
        cluster.sync();  // all have received
        if (!is_first_block_s && held(level).all > FusedDeep::kMostVertices) return level;
      } else {
        __syncthreads();
      }
    }
  }

  // Lays the frontier out in its queue, its counts in its slot, and the bits where they belong, for
  // the grid to go on from.
  __device__ void leave(level_t level) const {
    cluster.sync();
    const Held frontier_is = held(level);
    if (cluster.thread_rank() == 0) {
      for (level_t ahead = 0; ahead <= kClearedAhead; ++ahead) {
        *work.slots.at(level + ahead) = LevelSlot{};
      }
    }
    const std::uint32_t own = mine.count[level % 3];
    unsigned long long edges = 0;
    for (std::uint32_t i = threadIdx.x; i < own; i += kFusedThreads) {
      const vertex_t v = frontier(level, i);
      work.queues[level % 2][frontier_is.before + i] = v;
      edges += degree_of(work.out, v);
    }
    for (std::uint32_t w = threadIdx.x; w < deep_words(work.words); w += kFusedThreads) {
      const std::uint32_t word = w * kDeepBlocks + cluster.block_rank();
      if (word >= work.words) continue;
      std::uint32_t set = work.visited[word];
      if constexpr (kLocal) work.visited[word] = set |= bits[w];
      work.before[word] = set;
    }
    cluster.sync();  // the slots are clear, and nobody looks into another block any more
    LevelSlot& slot = *work.slots.at(level);
    add_of_block(edges, &slot.edges);
    cluster.sync();
    if (cluster.thread_rank() != 0) return;
    slot.queued[0] = frontier_is.all;
    slot.vertices = frontier_is.all;
    FusedCourse course;
    course.at.level = level;
    course.at.frontier = frontier_is.all;
    course.at.visited = mine.visited + frontier_is.all;
    course.at.edges = slot.edges;
    // Edges of the levels between are not counted, and are few.
    course.at.all_edges = slot.edges + (level > 0 ? mine.first_edges : 0);
    course.clear[0] = course.clear[1] = true;
    *work.course = course;
  }
};

// From the source on, until the frontier is empty or large. All threads of one cluster.
template <bool kLocal, typename Offset>
__device__ void fused_deep(const FusedWork<Offset>& work, vertex_t source) {
  auto& mine = *reinterpret_cast<FusedDeep*>(fused_shared());
  auto* const bits = reinterpret_cast<std::uint32_t*>(&mine + 1);
  const FusedDeepLevels<kLocal, Offset> levels{work, mine, bits,
                                               cooperative_groups::this_cluster()};
  fused_reset(work, source);
  const unsigned rank = levels.cluster.block_rank();
  const bool is_vertex = source < work.vertices;
  if constexpr (kLocal) {
    for (std::uint32_t w = threadIdx.x; w < deep_words(work.words); w += kFusedThreads) {
      const bool has_source = is_vertex && w * kDeepBlocks + rank == source / 32;
      bits[w] = has_source ? 1U << source % 32 : 0;
    }
  }
  if (threadIdx.x < kDeepBlocks) mine.sent[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    for (std::uint32_t& each : mine.count) each = 0;
    mine.visited = 0;
    mine.first_edges = 0;
    if (rank == 0 && is_vertex) {
      mine.count[0] = 1;
      mine.ids[0][0] = source;
      mine.first_edges = degree_of(work.out, source);
    }
  }
  if (levels.cluster.thread_rank() == 0) work.log.starts();
  levels.cluster.sync();
  levels.leave(levels.run());
}

#endif

}  // namespace bfslab::cuda
