// SPDX-License-Identifier: Apache-2.0
// The parts of a level of `fused`, each by all threads of the grid unless it says otherwise. All of
// them work on bits: `visited` grows while a level runs, `before` is as it was when the level
// began, and front[level % 2] is the frontier.
//
//   sweep      what was visited since the level before becomes the frontier: labelled, queued in
//              the order of ids, its edges summed up. Reads 8 bytes for 32 vertices.
//   expand     top-down: every edge of the queue by merge path (expand/merge_path.cuh), which
//              balances frontiers of any size; a neighbour is one bit looked at, and set without
//              waiting, by one atomic for the lanes that share a word. A sweep follows.
//   claim      the same for up to 262,144 edges: whoever sets a neighbour's bit first labels and
//              queues it, which takes no sweep and one barrier of the grid less.
//   bottom_up  unvisited vertices look for a parent: first their first neighbours, four vertices
//              side by side a lane, twice at once; those that miss are collected in the order of
//              ids and go on 32 at a time, first a lane each, then the warp. What is left of a row
//              that is still long is put aside, in segments, and the whole grid looks at these
//              after a barrier: the longest rows belong to few warps. The first bits of the
//              frontier, hubs' where ids are ordered by degree, lie in shared memory. Where all
//              rows of a turn are equally long, nobody reads where they begin. Needs no claim,
//              except in segments: a vertex belongs to one warp. One barrier of the grid a level,
//              or two.
//   small      a frontier of up to 1,024 vertices and 2,048 edges of long rows: one block goes
//              through level after level by itself, rows and queue in shared memory. In graphs of
//              small degrees a packed row has room for a vertex's neighbours: up to four are
//              fetched beside the claim, so that a level is one wait for memory and two barriers
//              of the block; up to twelve or sixteen, after it. Else, and for the rest of longer
//              rows, it says where they lie, so that a level is a wait more, and these edges are
//              shared out evenly. The grid's levels take several of each.
//
// A warp's turn in a sweep or bottom-up is FusedWork::chunk words of bits, 32 at most, so that the
// turns of all warps end together.
#pragma once

#include "kernels/cuda/engines/fused/work.hpp"
#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

// Shared memory that is asked for at launch, used by one part after the other.
struct FusedShared {
  static constexpr std::uint32_t kPending = 31 + 32;  // misses of a warp

  struct OfWarp {
    vertex_t pending[kPending];
    std::uint32_t found[32];
  };
  struct BottomUp {
    OfWarp warps[kFusedWarps];
    // The hot words come after it.
  };
  // A frontier with its rows.
  template <unsigned kPacked, std::uint32_t kMost>
  struct Rows {
    FusedRow<kPacked> rows[kMost];
    vertex_t ids[kMost];
    std::uint16_t listed[kMost];  // those of long rows
  };
  template <unsigned kPacked>
  struct Small {
    // Beyond this, vertices are left to the queue, and the level to the grid.
    static constexpr std::uint32_t kRows = kPacked > 4 ? 512 : 2048;

    Rows<kPacked, kRows> of[2];
    unsigned before[kRows];  // edges before each long row
    unsigned count[2];       // vertices; what does not fit is counted, too
    unsigned long_rows[2];
    unsigned long long edges;
  };
  struct Sweep {
    std::uint16_t laid_out[kFusedWarps][1024];
  };
};

__device__ inline std::byte* fused_shared() {
  extern __shared__ uint4 fused_memory[];
  return reinterpret_cast<std::byte*>(fused_memory);
}

// All bits of words beyond the last vertex count as visited.
__device__ inline std::uint32_t beyond(std::uint32_t word, vertex_t vertices) {
  const vertex_t first = word * 32;
  if (first + 32 <= vertices) return 0;
  return first >= vertices ? ~0U : ~0U << (vertices - first);
}

// The words of a warp's first turn, and how far it is to its next. Neighbouring turns, of hubs
// where ids are ordered by degree, go to different blocks.
__device__ inline std::uint32_t fused_first_word(std::uint32_t chunk) {
  return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * chunk;
}
__device__ inline std::uint32_t fused_words_a_round(std::uint32_t chunk) {
  return gridDim.x * kFusedWarps * chunk;
}

// Everything but what a level writes before it is read; the source is found, labelled and queued.
template <typename Offset>
__device__ void fused_reset(const FusedWork<Offset>& work, vertex_t source) {
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    std::uint32_t set = beyond(w, work.vertices) | (source / 32 == w ? 1U << source % 32 : 0U);
    if (work.unreachable != nullptr) set |= work.unreachable[w];
    work.before[w] = set;
    work.visited[w] = set;
    work.front[0][w] = work.front[1][w] = 0;
  }
  if (thread_in_grid() < FusedClaimed::kRing) work.claimed[thread_in_grid()] = {};
  if (thread_in_grid() < kSlots) {
    LevelSlot slot;
    if (thread_in_grid() == 0 && source < work.vertices) {
      slot.queued[0] = 1;
      slot.edges = degree_of(work.out, source);
      work.queues[0][0] = source;
      work.levels[source] = 0;
      if (work.parents != nullptr) work.parents[source] = source;
    }
    work.slots.slots[thread_in_grid()] = slot;
  }
}

// Labels and queues `level`'s vertices; `bits(w)` has them of a word, and a thread asks once.
template <typename Offset, typename BitsOf>
__device__ void fused_queue(const FusedWork<Offset>& work, level_t level, bool labels,
                            BitsOf bits_of) {
  auto& shared = *reinterpret_cast<FusedShared::Sweep*>(fused_shared());
  std::uint16_t* const mine = shared.laid_out[threadIdx.x / 32];
  LevelSlot* const slot = work.slots.at(level);
  vertex_t* const queue = work.queues[level % 2];
  unsigned long long edges = 0;
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_a_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    const std::uint32_t bits = lane_id() < work.chunk && w < work.words ? bits_of(w) : 0;
    if (__any_sync(kAllLanes, bits != 0) == 0) continue;
    const std::uint32_t count = lay_out(bits, mine);
    const std::uint32_t place = place_of_warp(&slot->queued[0], count);
    __syncwarp();
    constexpr int kEach = 4;  // degrees in flight a lane
    for (std::uint32_t i = lane_id(); i < count; i += 32 * kEach) {
      Offset begin[kEach];
      Offset end[kEach];
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const std::uint32_t at = i + 32 * t;
        const std::size_t v = at < count ? first * 32 + mine[at] : 0;
        begin[t] = at < count ? work.out.row_offsets[v] : 0;
        end[t] = at < count ? work.out.row_offsets[v + 1] : 0;
      }
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const std::uint32_t at = i + 32 * t;
        if (at < count) {
          const vertex_t v = first * 32 + mine[at];
          if (labels) work.levels[v] = level;
          queue[place + at] = v;
        }
        edges += end[t] - begin[t];
      }
    }
    __syncwarp();
  }
  add_of_block(edges, &slot->edges);
}

template <typename Offset>
__device__ void fused_sweep(const FusedWork<Offset>& work, level_t level) {
  std::uint32_t* const front = work.front[level % 2];
  fused_queue(work, level, true, [&](std::uint32_t w) {
    const std::uint32_t visited = work.visited[w];
    const std::uint32_t bits = visited & ~work.before[w];
    if (bits != 0) work.before[w] = visited;
    front[w] = bits;
    return bits;
  });
}

// A neighbour that was not visited is, as one bit; the sweep does the rest.
struct FusedVisit {
  static constexpr int kBatch = 4;
  ReachedView reached;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(reached.reached + word); });
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    if (reached.parents != nullptr) reached.parents[to] = from;
    set_together(reached.reached, to);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedVisit>);

// What MergePathExpansion asks of these rows: the degrees that come before each entry, which are
// known where the entries were queued along with their edges (FusedClaim).
template <typename Offset>
__device__ inline const edge_t* sum_degrees(const FusedRows<Offset>& rows,
                                            const ExpandScratch& scratch, const vertex_t* entries,
                                            std::uint32_t count) {
  if (rows.before != nullptr) return rows.before;
  return sum_degrees<FusedRows<Offset>>(rows, scratch, entries, count);
}

// Every edge of the queue. All threads of the grid; course.queued is set by one of each block.
template <typename Offset, EdgeAction Action>
__device__ void fused_run(const FusedWork<Offset>& work, const FusedCourse& course,
                          Action& action) {
  const level_t level = course.at.level;
  RowsOf<FusedRows<Offset>> rows{work.out};
  if (course.summed == level) rows.graph.before = work.edges_before[(course.claims + 1) % 2];
  __syncthreads();
  MergePathExpansion(work.sums).run_whole(rows, QueueView{work.queues[level % 2], {}},
                                          &course.queued, action);
}

template <typename Offset>
__device__ void fused_expand(const FusedWork<Offset>& work, const FusedCourse& course) {
  FusedVisit visit{{work.visited, work.parents}};
  fused_run(work, course, visit);
}

// What is known of a vertex once it is found.
template <typename Offset>
__device__ __forceinline__ void fused_label(const FusedWork<Offset>& work, level_t level,
                                            vertex_t from, vertex_t v) {
  atomicOr(work.before + v / 32, 1U << v % 32);
  work.levels[v] = level;
  if (work.parents != nullptr) work.parents[v] = from;
}

// Whoever finds a vertex first labels and queues it for the level after, and makes room for its
// edges among those of that level.
template <typename Offset>
struct FusedClaim {
  static constexpr int kBatch = 4;
  const FusedWork<Offset>& work;
  level_t level;
  FusedClaimed* claimed;
  edge_t* edges_before;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(work.visited + word); });
  }
  // Whether nobody had it.
  [[nodiscard]] __device__ __forceinline__ bool take(vertex_t to) const {
    const std::uint32_t bit = 1U << to % 32;
    return (atomicOr(work.visited + to / 32, bit) & bit) == 0;
  }
  // At the place that `at` says.
  __device__ __forceinline__ void put(FusedClaimed at, vertex_t from, vertex_t to,
                                      std::uint32_t degree) const {
    const std::uint32_t place = at.vertices();
    work.queues[(level + 1) % 2][place] = to;
    edges_before[place + std::size_t{1}] = at.edges() + degree;
    atomicOr(work.front[(level + 1) % 2] + to / 32, 1U << to % 32);
    fused_label(work, level + 1, from, to);
  }
  // By a lane alone.
  __device__ void found(vertex_t from, vertex_t to) const {
    if (!take(to)) return;
    const auto degree = static_cast<std::uint32_t>(degree_of(work.out, to));
    put({atomicAdd(&claimed->both, FusedClaimed::one(degree).both)}, from, to, degree);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedClaim<edge_t>>);

// The lanes of a warp together, in place of visit_batch() of other actions: claims and degrees of
// all are under way at once, and one atomic makes room for all that were found.
template <int kCount, typename Offset>
__device__ __forceinline__ void visit_batch(FusedClaim<Offset>& claim,
                                            const vertex_t (&from)[kCount],
                                            const vertex_t (&to)[kCount]) {
  const unsigned open = claim.open_among(to);
  std::uint32_t degree[kCount] = {};
  bool taken[kCount] = {};
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if ((open >> j & 1U) == 0) continue;
    degree[j] = static_cast<std::uint32_t>(degree_of(claim.work.out, to[j]));
    taken[j] = claim.take(to[j]);
  }
  unsigned long long mine = 0;
#pragma unroll
  for (int j = 0; j < kCount; ++j) mine += taken[j] ? FusedClaimed::one(degree[j]).both : 0;
  if (__any_sync(kAllLanes, mine != 0) == 0) return;
  const unsigned long long upto = inclusive_of_warp(mine);
  unsigned long long base = 0;
  if (lane_id() == 31) base = atomicAdd(&claim.claimed->both, upto);
  FusedClaimed at{__shfl_sync(kAllLanes, base, 31) + upto - mine};
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (!taken[j]) continue;
    claim.put(at, from[j], to[j], degree[j]);
    at.both += FusedClaimed::one(degree[j]).both;
  }
}

// front[(level + 1) % 2] must be clear. `clears`: front[level % 2] is to be.
template <typename Offset>
__device__ void fused_claim(const FusedWork<Offset>& work, const FusedCourse& course, bool clears) {
  const level_t level = course.at.level;
  if (clears) {
    std::uint32_t* const front = work.front[level % 2];
    for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) front[w] = 0;
  }
  constexpr unsigned kRing = FusedClaimed::kRing;
  // All have read this one's last sum before they met last.
  if (thread_in_grid() == 0) work.claimed[(course.claims + 2) % kRing] = {};
  FusedClaim<Offset> claim{work, level, work.claimed + course.claims % kRing,
                           work.edges_before[course.claims % 2]};
  fused_run(work, course, claim);
}

// --- Bottom-up.

template <bool kCounts, bool kHot, typename Offset>
struct FusedLooker {
  static constexpr unsigned kAlone = 16;  // entries that a lane looks at by itself after the first

  const FusedWork<Offset>& work;
  level_t level;
  const std::uint32_t* front;
  const std::uint32_t* hot;  // shared
  std::uint32_t hot_ids;
  unsigned long long checked = 0;  // entries; counted on request

  __device__ void count(unsigned entries) {
    if constexpr (kCounts) checked += entries;
  }

  [[nodiscard]] __device__ std::uint32_t word_of(vertex_t u) const {
    const std::uint32_t* bits = front;
    if constexpr (kHot) bits = u < hot_ids ? hot : front;
    return bits[u / 32];
  }
  [[nodiscard]] __device__ bool is_parent(vertex_t u) const {
    return (word_of(u) >> (u % 32) & 1U) != 0;
  }
  __device__ void label(vertex_t v, vertex_t parent) const {
    work.levels[v] = level + 1;
    if (work.parents != nullptr) work.parents[v] = parent;
  }

  // The first neighbours of v, ... v + 3, and of as many 128 on for each further group, of which
  // `open` says those to look at; `hits` becomes those that found a parent, which are labelled.
  // An open vertex has a neighbour. What is not open is left as it is.
  template <int kGroups>
  __device__ __forceinline__ void look_at_first(vertex_t v, const unsigned (&open)[kGroups],
                                                unsigned (&hits)[kGroups]) {
    constexpr unsigned kOn = 128;
    const vertex_t* const first = work.first + v;
    uint4 four[kGroups];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      four[g] = open[g] != 0 ? *reinterpret_cast<const uint4*>(first + g * kOn) : uint4{};
      count(__popc(open[g]));
    }
    __syncwarp();  // all are asked for before the first is looked up, which no compiler may change
    std::uint32_t word[kGroups][4];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const vertex_t parent[4] = {four[g].x, four[g].y, four[g].z, four[g].w};
#pragma unroll
      for (unsigned t = 0; t < 4; ++t) {
        word[g][t] = (open[g] >> t & 1U) != 0 ? word_of(parent[t]) : 0;
      }
    }
    level_t* const levels = work.levels + v;
    vertex_t* const parents = work.parents + v;  // if there are any
    const level_t found = level + 1;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const vertex_t parent[4] = {four[g].x, four[g].y, four[g].z, four[g].w};
      hits[g] = 0;
#pragma unroll
      for (unsigned t = 0; t < 4; ++t) hits[g] |= (word[g][t] >> parent[t] % 32 & 1U) << t;
      if (hits[g] == 0) continue;
      if (open[g] == 0xFU) {  // who misses is labelled later, by whoever finds it or at the end
        *reinterpret_cast<uint4*>(levels + g * kOn) = make_uint4(found, found, found, found);
        if (work.parents != nullptr) *reinterpret_cast<uint4*>(parents + g * kOn) = four[g];
      } else {
#pragma unroll
        for (unsigned t = 0; t < 4; ++t) {
          if ((hits[g] >> t & 1U) != 0) levels[g * kOn + t] = found;
        }
        if (work.parents != nullptr) {
#pragma unroll
          for (unsigned t = 0; t < 4; ++t) {
            if ((hits[g] >> t & 1U) != 0) parents[g * kOn + t] = parent[t];
          }
        }
      }
    }
  }

  // One vertex a lane, those that have missed their first neighbour; kNoVertex for none. All lanes.
  // What is found is set in `found`, of the 32 words from `first_word` on, in shared memory.
  __device__ void look_on(vertex_t v, const FusedAlike<Offset>& alike, std::uint32_t first_word,
                          std::uint32_t* found) {
    constexpr unsigned kAtOnce = 4;
    Offset next = 0;
    Offset end = 0;
    if (v != kNoVertex) {
      next = alike.degree != 0 ? alike.shift + Offset{v} * alike.degree : work.in.row_offsets[v];
      end = alike.degree != 0 ? next + alike.degree : work.in.row_offsets[v + std::size_t{1}];
      ++next;
    }
    const auto has_found = [&](vertex_t vertex, vertex_t parent) {
      label(vertex, parent);
      atomicOr(found + (vertex / 32 - first_word), 1U << vertex % 32);
    };
    unsigned alone = static_cast<unsigned>(min(Offset{end - next}, Offset{kAlone}));
    while (__any_sync(kAllLanes, alone > 0) != 0) {
      const unsigned now = min(alone, unsigned{kAtOnce});
      const vertex_t* const row = work.in.columns + next;
      vertex_t one[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) one[t] = t < now ? row[t] : kNoVertex;
      count(now);
      __syncwarp();  // as above
      std::uint32_t word[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) word[t] = t < now ? word_of(one[t]) : 0;
      vertex_t parent = kNoVertex;
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        if ((word[t] >> one[t] % 32 & 1U) != 0) parent = one[t];
      }
      next += now;
      alone -= now;
      if (parent != kNoVertex) {
        has_found(v, parent);
        end = next = 0;
        alone = 0;
      }
    }
    unsigned left = __ballot_sync(kAllLanes, next < end);
    for (unsigned misses = work.misses; left != 0 && misses > 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const vertex_t vertex = __shfl_sync(kAllLanes, v, owner);
      Offset at = __shfl_sync(kAllLanes, next, owner);
      const Offset row_end = __shfl_sync(kAllLanes, end, owner);
      for (; at < row_end && misses > 0; at += 32) {
        const bool within = at + lane_id() < row_end;
        const vertex_t u = within ? work.in.columns[at + lane_id()] : 0;
        count(within ? 1 : 0);
        const unsigned hits = __ballot_sync(kAllLanes, within && is_parent(u));
        if (hits == 0) {
          --misses;
          continue;
        }
        if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(hits)) - 1) has_found(vertex, u);
        at = row_end;
        break;
      }
      if (at >= row_end && static_cast<int>(lane_id()) == owner) next = end;
      __syncwarp();
    }
    if (__any_sync(kAllLanes, next < end) != 0) put_aside(v, next, end);
  }

  // Leaves what lanes have left of their rows to the whole grid. All lanes.
  __device__ void put_aside(vertex_t v, Offset next, Offset end) const {
    const auto own = next < end ? static_cast<unsigned>((end - next - 1) / kFusedSegment + 1) : 0U;
    const unsigned place = places_of_warp(&work.slots.at(level + 1)->candidates, own);
    unsigned owners = __ballot_sync(kAllLanes, own > 0);
    while (owners != 0) {
      const int owner = __ffs(static_cast<int>(owners)) - 1;
      owners &= owners - 1;
      const vertex_t vertex = __shfl_sync(kAllLanes, v, owner);
      const unsigned first = __shfl_sync(kAllLanes, place, owner);
      const unsigned segments = __shfl_sync(kAllLanes, own, owner);
      for (unsigned i = lane_id(); i < segments; i += 32) {
        work.queues[0][first + i] = vertex;
        work.queues[1][first + i] = i;
      }
    }
  }
};

// Whether all rows of the ids from `first` to `last` are equally long, in ids by degree. All lanes.
template <typename Offset>
__device__ FusedAlike<Offset> fused_alike(const FusedWork<Offset>& work, vertex_t first,
                                          vertex_t last) {
  FusedAlike<Offset> alike;
  if (work.degree_rows == nullptr) return alike;
  const DegreeRows mine = work.degree_rows[lane_id() + 1];  // of degree lane + 1
  const bool holds = mine.from <= first && last < work.degree_rows[lane_id()].from;
  const unsigned lanes = __ballot_sync(kAllLanes, holds);
  if (lanes == 0) return alike;
  const int of = __ffs(static_cast<int>(lanes)) - 1;
  alike.degree = of + 1;
  alike.shift = static_cast<Offset>(__shfl_sync(kAllLanes, mine.shift, of));
  return alike;
}

// Looks for the frontier's first `hot_words` of bits in shared memory, where fused_bottom_up puts
// them.
template <bool kCounts, bool kHot, typename Offset>
__device__ FusedLooker<kCounts, kHot, Offset> fused_looker(const FusedWork<Offset>& work,
                                                           level_t level, std::uint32_t hot_words) {
  const std::byte* hot = fused_shared() + sizeof(FusedShared::BottomUp);
  // Hides what it points to: otherwise each look makes a generic address of a shared one anew.
  asm("" : "+l"(hot));
  return {work, level, work.front[level % 2], reinterpret_cast<const std::uint32_t*>(hot),
          hot_words * 32};
}

// How many of the frontier's words are worth a copy in shared memory, where so many vertices have
// been visited: none if few are left to look.
template <typename Offset>
__device__ std::uint32_t fused_hot_words(const FusedWork<Offset>& work, std::uint64_t visited) {
  constexpr unsigned kFew = 16;  // a part of all
  return visited + work.reachable / kFew < work.reachable ? min(work.hot_words, work.words) : 0;
}

// Four vertices side by side a lane, 128 a group: read, looked up and labelled together.
template <bool kCounts, bool kHot, typename Offset>
__device__ void fused_bottom_up(const FusedWork<Offset>& work, level_t level,
                                std::uint32_t hot_words) {
  constexpr unsigned kEach = 4;
  constexpr unsigned kLanes = 32 / kEach;  // that share a word of bits
  constexpr unsigned kGroups = 2;          // in flight
  auto& shared = *reinterpret_cast<FusedShared::BottomUp*>(fused_shared());
  auto* const hot = reinterpret_cast<std::uint32_t*>(&shared + 1);
  const std::uint32_t* const front = work.front[level % 2];
  std::uint32_t* const next_front = work.front[(level + 1) % 2];
  for (std::uint32_t w = threadIdx.x; w < hot_words; w += kFusedThreads) hot[w] = front[w];
  __syncthreads();
  auto looker = fused_looker<kCounts, kHot>(work, level, hot_words);
  FusedShared::OfWarp& mine = shared.warps[threadIdx.x / 32];
  auto* const found_of_two = reinterpret_cast<std::uint8_t*>(mine.found);
  const unsigned shift = lane_id() % kLanes * kEach;  // of its bits in their word

  unsigned count = 0;
  const std::uint32_t chunk = work.up_chunk;
  for (std::uint32_t first = fused_first_word(chunk); first < work.words;
       first += fused_words_a_round(chunk)) {
    const std::uint32_t w = first + lane_id();
    const bool has_word = lane_id() < chunk && w < work.words;
    const std::uint32_t before = has_word ? work.before[w] : ~0U;
    std::uint32_t found = 0;
    if (__any_sync(kAllLanes, before != ~0U) != 0) {
      mine.found[lane_id()] = 0;
      __syncwarp();
      for (unsigned j = 0; j < chunk; j += kGroups * kEach) {
        unsigned open[kGroups];
        unsigned any = 0;
#pragma unroll
        for (unsigned g = 0; g < kGroups; ++g) {
          const unsigned from = j + g * kEach + lane_id() / kLanes;
          open[g] = ~(__shfl_sync(kAllLanes, before, from) >> shift) & 0xFU;
          any |= open[g];
        }
        if (__any_sync(kAllLanes, any != 0) == 0) continue;
        unsigned hits[kGroups];
        looker.look_at_first((first + j) * 32 + lane_id() * kEach, open, hits);
#pragma unroll
        for (unsigned g = 0; g < kGroups; ++g) {  // two lanes make a byte
          const unsigned next_hits = __shfl_down_sync(kAllLanes, hits[g], 1);
          if (lane_id() % 2 == 0) {
            found_of_two[(j + g * kEach) * 4 + lane_id() / 2] =
                static_cast<std::uint8_t>(hits[g] | next_hits << kEach);
          }
        }
      }
      __syncwarp();
      std::uint32_t missed = ~(before | mine.found[lane_id()]);
      if (w * 32 + 31 >= work.ones_from) {
        missed &= w * 32 < work.ones_from ? (1U << (work.ones_from - w * 32)) - 1 : 0;
      }
      unsigned words = __ballot_sync(kAllLanes, missed != 0);
      if (words != 0) {
        const FusedAlike<Offset> alike =
            fused_alike(work, first * 32, min((first + chunk) * 32, work.vertices) - 1);
        std::uint32_t pending = 0;
        do {
          // In the order of ids, so that rows which are looked at together lie together.
          while (pending < 32 && words != 0) {
            const int i = __ffs(static_cast<int>(words)) - 1;
            words &= words - 1;
            const std::uint32_t word = __shfl_sync(kAllLanes, missed, i);
            if ((word >> lane_id() & 1U) != 0) {
              mine.pending[pending + __popc(word & lanes_below())] = (first + i) * 32 + lane_id();
            }
            pending += __popc(word);
          }
          __syncwarp();
          const std::uint32_t now = min(pending, 32U);
          pending -= now;
          looker.look_on(lane_id() < now ? mine.pending[pending + lane_id()] : kNoVertex, alike,
                         first, mine.found);
          __syncwarp();
        } while (pending > 0 || words != 0);
      }
      found = mine.found[lane_id()];
      __syncwarp();  // before found is cleared again
    }
    if (has_word) {
      next_front[w] = found;
      if (found != 0) work.before[w] = work.visited[w] = before | found;
      count += __popc(found);
    }
  }
  add_of_block(count, &work.slots.at(level + 1)->vertices);
  if constexpr (kCounts) add_of_block(looker.checked, &work.slots.at(level + 1)->checked);
}

// What fused_bottom_up has put aside, `listed` segments of rows, eight lanes each; after a barrier
// of the grid, and before shared memory is used for something else.
template <bool kCounts, typename Offset>
__device__ void fused_bottom_up_aside(const FusedWork<Offset>& work, level_t level,
                                      std::uint32_t hot_words, std::uint32_t listed) {
  constexpr unsigned kLanes = 8;   // of a segment
  constexpr unsigned kAtOnce = 4;  // entries in flight a lane
  auto looker = fused_looker<kCounts, true>(work, level, hot_words);
  std::uint32_t* const next_front = work.front[(level + 1) % 2];
  unsigned long long count = 0;
  const unsigned mine = lane_id() % kLanes;
  const auto of_segment = [](bool holds) {  // its lanes' bits
    return __ballot_sync(kAllLanes, holds) >> (lane_id() / kLanes * kLanes) & ((1U << kLanes) - 1);
  };
  for (std::uint32_t first = thread_in_grid() / 32 * (32 / kLanes); first < listed;
       first += threads_in_grid() / kLanes) {
    const std::uint32_t i = first + lane_id() / kLanes;
    const vertex_t vertex = i < listed ? work.queues[0][i] : kNoVertex;
    Offset at = 0;
    Offset end = 0;
    if (vertex != kNoVertex) {
      at = work.in.row_offsets[vertex] + 1 + looker.kAlone +
           Offset{kFusedSegment} * work.queues[1][i];
      end = min(work.in.row_offsets[vertex + std::size_t{1}], at + kFusedSegment);
    }
    const std::uint32_t bit = 1U << vertex % 32;
    // Until it has a parent: by another segment, or by this one.
    while (__any_sync(kAllLanes, at < end) != 0) {
      const bool has_parent = at < end && (fresh(work.visited + vertex / 32) & bit) != 0;
      vertex_t u[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        const Offset place = at + kLanes * t + mine;
        u[t] = place < end ? work.in.columns[place] : kNoVertex;
        looker.count(place < end ? 1 : 0);
      }
      vertex_t parent = kNoVertex;
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        if (u[t] != kNoVertex && looker.is_parent(u[t])) parent = u[t];
      }
      const unsigned hits = of_segment(parent != kNoVertex);
      const bool is_over = of_segment(has_parent) != 0;
      if (!is_over && hits != 0 &&
          mine == static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1 &&
          (atomicOr(work.visited + vertex / 32, bit) & bit) == 0) {
        atomicOr(work.before + vertex / 32, bit);
        atomicOr(next_front + vertex / 32, bit);
        looker.label(vertex, parent);
        ++count;
      }
      at = is_over || hits != 0 ? end : at + kLanes * kAtOnce;
    }
  }
  add_of_block(count, &work.slots.at(level + 1)->vertices);
  if constexpr (kCounts) add_of_block(looker.checked, &work.slots.at(level + 1)->checked);
}

// The out-degrees of front[level % 2], which bottom-up has found, for whoever counts them.
template <typename Offset>
__device__ void fused_sum_edges(const FusedWork<Offset>& work, level_t level) {
  unsigned long long edges = 0;
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    if (test(work.front[level % 2], static_cast<vertex_t>(v))) {
      edges += degree_of(work.out, static_cast<vertex_t>(v));
    }
  }
  add_of_block(edges, &work.slots.at(level)->edges);
}

// --- Small frontiers: one block.

// What is kept of a vertex's row.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ FusedRow<kPacked> fused_row(const FusedWork<Offset>& work, vertex_t v) {
  FusedRow<kPacked> row;
  if constexpr (kPacked > 0) {
    const uint4* const packed = work.packed + std::size_t{v} * row.kParts;
    for (unsigned p = 0; p < row.kParts; ++p) row.part[p] = packed[p];
  } else {
    row.put_rest(work.out.row_offsets[v], work.out.row_offsets[v + std::size_t{1}]);
  }
  return row;
}

// Whether a neighbour's row is asked for once it is claimed, and not beside the claim. Rows of
// several parts would be asked for by all those, too, that come too late, and these loads take
// longer than to wait once more.
template <unsigned kPacked>
inline constexpr bool kClaimsFirst = kPacked > 4;

// Takes a neighbour, if nobody had it: true, and its row in `row`.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ bool fused_take(const FusedWork<Offset>& work, level_t level,
                                           vertex_t from, vertex_t to, FusedRow<kPacked>& row) {
  const std::uint32_t bit = 1U << to % 32;
  if constexpr (kPacked == 0) {
    if ((fresh(work.visited + to / 32) & bit) != 0) return false;
  }
  if constexpr (!kClaimsFirst<kPacked>) row = fused_row<kPacked>(work, to);
  if ((atomicOr(work.visited + to / 32, bit) & bit) != 0) return false;
  if constexpr (kClaimsFirst<kPacked>) row = fused_row<kPacked>(work, to);
  fused_label(work, level + 1, from, to);
  return true;
}

// A frontier in shared memory: `count` vertices that fit, and which of their rows are long.
template <unsigned kPacked, typename Rows>
struct FusedFrontier {
  const Rows& of;
  unsigned count;
  unsigned long_rows;  // those listed; where rows are not packed, all
  unsigned* before;    // [long_rows] edges of long rows before each

  [[nodiscard]] __device__ unsigned place_of_long(unsigned k) const {
    return kPacked > 0 ? of.listed[k] : k;
  }

  // Fills `before`; returns how many edges long rows have. All threads of a block.
  __device__ unsigned sum_long() const {
    unsigned edges = 0;
    for (unsigned first = 0; first < long_rows; first += kFusedThreads) {
      const unsigned k = first + threadIdx.x;
      const unsigned own = k < long_rows ? of.rows[place_of_long(k)].count() : 0;
      unsigned sum = 0;
      const unsigned own_before = exclusive_of_block(own, sum);
      if (k < long_rows) before[k] = edges + own_before;
      edges += sum;
    }
    if (long_rows > 0) __syncthreads();
    return edges;
  }

  // How many entries packed rows have, those of kNoVertex included, and one of them.
  [[nodiscard]] __device__ unsigned entries() const { return kPacked * count; }
  __device__ __forceinline__ void entry(unsigned i, vertex_t& from, vertex_t& to) const {
    constexpr unsigned kWords = 4 * FusedRow<kPacked>::kParts;
    to = reinterpret_cast<const vertex_t*>(of.rows)[i];
    from = of.ids[i / kWords];
    const bool may_say_where = i % kWords + 4 >= kWords;
    if (to != kNoVertex && may_say_where && of.rows[i / kWords].is_long()) to = kNoVertex;
  }

  // One of the edges of long rows, which sum_long has counted.
  __device__ __forceinline__ void long_edge(const vertex_t* columns, unsigned e, vertex_t& from,
                                            vertex_t& to) const {
    unsigned low = 0;  // the last row that begins by then
    for (unsigned high = long_rows; high - low > 1;) {
      const unsigned middle = (low + high) / 2;
      (before[middle] <= e ? low : high) = middle;
    }
    const unsigned place = place_of_long(low);
    from = of.ids[place];
    to = columns[of.rows[place].begin() + (e - before[low])];
  }

  // Number `i` of what packed rows have and, behind it, of the edges of long rows, so that nobody
  // waits for the one before it begins with the other.
  __device__ __forceinline__ void edge(const vertex_t* columns, unsigned i, vertex_t& from,
                                       vertex_t& to) const {
    if (i < entries()) {
      entry(i, from, to);
    } else {
      long_edge(columns, i - entries(), from, to);
    }
  }

  // visit(from, to) of every edge; `edges` is what sum_long returned. All threads of a block.
  template <typename Visit>
  __device__ void each_edge(const vertex_t* columns, unsigned edges, Visit visit) const {
    for (unsigned i = threadIdx.x; i < entries() + edges; i += kFusedThreads) {
      vertex_t from, to;
      edge(columns, i, from, to);
      if (to != kNoVertex) visit(from, to);
    }
  }
};

// Puts a vertex into the frontier of turn `turn`. What does not fit goes to the queue of the grid.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ void fused_small_put(const FusedWork<Offset>& work,
                                                FusedShared::Small<kPacked>& shared, unsigned turn,
                                                level_t level, vertex_t v,
                                                const FusedRow<kPacked>& row) {
  const unsigned place = append_place(&shared.count[turn]);
  if (place >= shared.kRows) {
    work.queues[level % 2][place] = v;
    return;
  }
  auto& of = shared.of[turn];
  of.ids[place] = v;
  of.rows[place] = row;
  if (kPacked > 0 && row.is_long()) {
    of.listed[append_place(&shared.long_rows[turn])] = static_cast<std::uint16_t>(place);
  }
}

// Runs levels from `at` on, at most `most` of them and at least one, until the frontier is empty or
// large, and leaves the frontier in its queue, its counts in its slot, and the progress in
// work.course.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ void fused_small(const FusedWork<Offset>& work, Progress at,
                                            level_t most) {
  static_assert(FusedRules::small_vertices(kPacked) <= kFusedThreads);
  static_assert(FusedRules::small_vertices(kPacked) <= FusedShared::Small<kPacked>::kRows);
  auto& shared = *reinterpret_cast<FusedShared::Small<kPacked>*>(fused_shared());
  const unsigned thread = threadIdx.x;
  if (thread < 2) shared.count[thread] = shared.long_rows[thread] = 0;
  if (thread == 0) shared.edges = 0;
  __syncthreads();
  if (thread < at.frontier) {
    const vertex_t v = work.queues[at.level % 2][thread];
    fused_small_put(work, shared, 0, at.level, v, fused_row<kPacked>(work, v));
  }
  __syncthreads();
  unsigned turn = 0;
  for (level_t ran = 0; ran < most; ++ran) {
    const level_t level = at.level;
    const unsigned next = 1 - turn;
    const unsigned fit = min(shared.count[turn], shared.kRows);
    const FusedFrontier<kPacked, std::remove_cvref_t<decltype(shared.of[0])>> frontier{
        shared.of[turn], fit, kPacked > 0 ? shared.long_rows[turn] : fit, shared.before};
    const unsigned edges = frontier.sum_long();
    if (ran > 0 && edges > FusedRules::kSmallEdges) break;
    frontier.each_edge(work.out.columns, edges, [&](vertex_t from, vertex_t to) {
      FusedRow<kPacked> row;
      if (fused_take(work, level, from, to, row)) {
        fused_small_put(work, shared, next, level + 1, to, row);
      }
    });
    __syncthreads();
    const unsigned found = shared.count[next];
    if (thread == 0) {
      if (work.log.head != nullptr) {
        work.log.level_is(level, kFusedSmall);
        LevelSlot slot;
        slot.queued[0] = slot.vertices = shared.count[turn];
        work.log.level_ended(level, slot);
      }
      shared.count[turn] = shared.long_rows[turn] = 0;
    }
    if (ran > 0) at.all_edges += edges;
    at.advance(found, 0, false);
    __syncthreads();
    turn = next;
    if (found == 0 || found > FusedRules::small_vertices(kPacked)) break;
  }
  // Its degrees are summed up for the choice of a direction; short rows of the levels between are
  // not, and are few.
  const unsigned count = min(shared.count[turn], shared.kRows);
  vertex_t* const queue = work.queues[at.level % 2];
  for (unsigned i = thread; i < count; i += kFusedThreads) queue[i] = shared.of[turn].ids[i];
  __syncthreads();
  unsigned long long edges = 0;
  for (unsigned i = thread; i < at.frontier; i += kFusedThreads) {
    edges += degree_of(work.out, queue[i]);
  }
  add_of_block(edges, &shared.edges);
  if (thread == 0) {
    at.edges = shared.edges;
    at.all_edges += shared.edges;
    for (level_t ahead = 0; ahead <= kClearedAhead; ++ahead) {
      *work.slots.at(at.level + ahead) = LevelSlot{};
    }
    LevelSlot& slot = *work.slots.at(at.level);
    slot.queued[0] = static_cast<std::uint32_t>(at.frontier);
    slot.vertices = at.frontier;
    slot.edges = shared.edges;
    work.course->at = at;
  }
}

// front[level % 2] from the queue: after levels that only kept one.
template <typename Offset>
__device__ void fused_front_of_queue(const FusedWork<Offset>& work, level_t level,
                                     std::uint32_t count) {
  std::uint32_t* const front = work.front[level % 2];
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) front[w] = 0;
  barrier_of_grid();
  for (std::uint32_t i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const vertex_t v = work.queues[level % 2][i];
    atomicOr(front + v / 32, 1U << v % 32);
  }
}

// Levels of those that were not reached: nobody else writes them.
template <typename Offset>
__device__ void fused_label_rest(const FusedWork<Offset>& work, vertex_t source) {
  for (std::uint32_t first = fused_first_word(work.chunk); first < work.words;
       first += fused_words_a_round(work.chunk)) {
    const std::uint32_t w = first + lane_id();
    std::uint32_t open = 0;
    if (lane_id() < work.chunk && w < work.words) {
      open = ~work.before[w];
      if (work.unreachable != nullptr) {
        open |= work.unreachable[w] & ~(source / 32 == w ? 1U << source % 32 : 0U);
      }
    }
    unsigned words = __ballot_sync(kAllLanes, open != 0);
    while (words != 0) {
      const int j = __ffs(static_cast<int>(words)) - 1;
      words &= words - 1;
      if ((__shfl_sync(kAllLanes, open, j) >> lane_id() & 1U) == 0) continue;
      const std::size_t v = std::size_t{first + j} * 32 + lane_id();
      work.levels[v] = kUnreached;
      if (work.parents != nullptr) work.parents[v] = kNoVertex;
    }
  }
}

}  // namespace bfslab::cuda
