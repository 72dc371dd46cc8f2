// SPDX-License-Identifier: Apache-2.0
// The levels of searches that run together (batch.hpp). Called by all threads of the grid unless a
// function says otherwise; barriers of the grid lie between the calls.
#pragma once

#include "kernels/cuda/engines/fused/batch.hpp"
#include "kernels/cuda/expand/merge_path.cuh"

namespace bfslab::cuda {

// Entries of a segment of a row, bottom-up, beyond those that a lane looks at alone.
inline constexpr unsigned kBatchSegment = 512;

template <typename Offset>
__device__ __forceinline__ SearchBits* batch_found(const BatchWork<Offset>& work, level_t level) {
  return work.found[level % kBatchWindow];
}
template <typename Offset>
__device__ __forceinline__ BatchCounts* batch_counts(const BatchWork<Offset>& work, level_t level) {
  return work.counts + level % 3;
}

__device__ __forceinline__ SearchBits all_searches(std::uint32_t count) {
  return count == kMaxBatch ? ~SearchBits{0} : (SearchBits{1} << count) - 1;
}

__device__ __forceinline__ SearchBits fresh_bits(const SearchBits* word) {
  return *const_cast<const volatile SearchBits*>(word);
}

__device__ inline SearchBits searches_of_warp(SearchBits bits) {
  const auto half = [](SearchBits part) {
    return SearchBits{bits_of_warp(static_cast<unsigned>(part))};
  };
  return half(bits >> 32) << 32 | half(bits & 0xFFFF'FFFFU);
}

// The course of the searches, in shared memory: each block has its own, and all are the same.
struct BatchCourse {
  level_t level;
  DirectionState at;
  SearchBits alive;
  std::uint32_t queued;  // entries of the queue, if searches go top-down
  std::uint32_t aside;
  SearchBits narrow;             // searches that go top-down while the others go bottom-up
  std::uint64_t open_entries;    // in the rows of the candidates
  std::uint64_t met[kMaxBatch];  // edges of all frontiers of a search that were counted
  bool goes_up;
};

// A thread's share of a level's counts.
struct BatchShare {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  unsigned long long of_searches = 0;
  unsigned long long done = 0;
  unsigned long long done_entries = 0;
  SearchBits alive = 0;

  __device__ void add(SearchBits bits, edge_t degree) {
    of_searches += degree * static_cast<unsigned>(__popcll(bits));
    alive |= bits;
  }
  __device__ void add_vertex(edge_t degree) {
    vertices += 1;
    edges += degree;
  }
  __device__ void add_done(edge_t entries) {
    done += 1;
    done_entries += entries;
  }
  // Called by all threads of a block.
  __device__ void put(BatchCounts* counts) const {
    add_of_block(vertices, &counts->vertices);
    add_of_block(edges, &counts->edges);
    add_of_block(of_searches, &counts->of_searches);
    add_of_block(done, &counts->done);
    add_of_block(done_entries, &counts->done_entries);
    const SearchBits of_warp = searches_of_warp(alive);
    if (lane_id() == 0 && (of_warp & ~fresh_bits(&counts->alive)) != 0) {
      atomicOr(&counts->alive, of_warp);
    }
  }
};

// Marks what a vertex has found as seen, and counts it. `is_first`: nothing that it has found in
// this level is counted yet.
template <typename Offset>
__device__ __forceinline__ void batch_settle(const BatchWork<Offset>& work, SearchBits all,
                                             vertex_t v, SearchBits found, BatchShare& share,
                                             bool is_first = true) {
  const SearchBits seen = work.seen[v] | found;
  work.seen[v] = seen;
  const edge_t degree = degree_of(work.out, v);
  share.add(found, degree);
  if (is_first) share.add_vertex(degree);
  if (seen == all) share.add_done(work.first != nullptr ? degree_of(work.in, v) : 0);
}

// --- Top-down.

// The edge action: a vertex of the frontier gives its searches to a neighbour.
struct BatchOffer {
  static constexpr int kBatch = 4;
  const SearchBits* frontier;
  const SearchBits* seen;
  SearchBits* next;
  SearchBits mask;  // searches that give

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) open |= (to[j] != kNoVertex ? 1U : 0U) << j;
    return open;
  }
  __device__ void found(vertex_t from, vertex_t to) const {
    give(frontier[from] & mask & ~seen[to], to);
  }
  __device__ void give(SearchBits searches, vertex_t to) const {
    if ((searches & ~fresh_bits(next + to)) != 0) atomicOr(next + to, searches);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<BatchOffer>);

// Visits the edges of a lane in place of the visit_batch() of other actions: all words are
// requested at once.
template <int kCount>
__device__ __forceinline__ void visit_batch(BatchOffer& offer, const vertex_t (&from)[kCount],
                                            const vertex_t (&to)[kCount]) {
  SearchBits searches[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    searches[j] =
        to[j] != kNoVertex ? offer.frontier[from[j]] & offer.mask & ~offer.seen[to[j]] : 0;
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (searches[j] != 0) offer.give(searches[j], to[j]);
  }
}

template <typename Offset>
__device__ void batch_clear(const BatchWork<Offset>& work, level_t level) {
  SearchBits* const found = batch_found(work, level);
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) found[v] = 0;
}

template <typename Offset>
__device__ void batch_offer(const BatchWork<Offset>& work, const BatchCourse& course,
                            SearchBits mask) {
  BatchOffer offer{batch_found(work, course.level), work.seen, batch_found(work, course.level + 1),
                   mask};
  MergePathExpansion(work.sums).run_whole(RowsOf<FusedRows<Offset>>{work.out},
                                          QueueView{work.queue, {}}, &course.queued, offer);
}

// Marks what the vertices of `level` have found, in a top-down level, as seen, and counts it.
template <typename Offset>
__device__ void batch_settle_all(const BatchWork<Offset>& work, level_t level, SearchBits all) {
  const SearchBits* const found = batch_found(work, level);
  BatchShare share;
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    if (found[v] != 0) batch_settle(work, all, static_cast<vertex_t>(v), found[v], share);
  }
  share.put(batch_counts(work, level));
}

// Queues the vertices that any search of `mask` has found in `level`. Not done while they are
// settled, since many levels go bottom-up.
template <typename Offset>
__device__ void batch_queue(const BatchWork<Offset>& work, level_t level, SearchBits mask) {
  const SearchBits* const found = batch_found(work, level);
  std::uint32_t* const queued = &batch_counts(work, level)->queued;
  const std::size_t end = (std::size_t{work.vertices} + 31) / 32 * 32;  // for whole warps
  for (std::size_t v = thread_in_grid(); v < end; v += threads_in_grid()) {
    const bool is_found = v < work.vertices && (found[v] & mask) != 0;
    const std::uint32_t place = places_of_warp(queued, is_found ? 1 : 0);
    if (is_found) work.queue[place] = static_cast<vertex_t>(v);
  }
}

// --- Bottom-up.

// Looks along a row from `at` on, up to `end`, for the searches `wanted`, of which `met` are found.
// Four entries whose place is a multiple of four come by one access. `entries`: of all rows.
template <typename Offset>
__device__ __forceinline__ void batch_look(const vertex_t* columns, Offset entries,
                                           const SearchBits* frontier, SearchBits wanted, Offset at,
                                           Offset end, SearchBits& met) {
  constexpr unsigned kAtOnce = 4;
  while (at < end && (wanted & ~met) != 0) {
    const Offset begin = at / kAtOnce * kAtOnce;
    uint4 four;
    if (begin + kAtOnce <= entries) {
      four = *reinterpret_cast<const uint4*>(columns + begin);
    } else {  // the last entries of all
      four.x = columns[begin];
      four.y = begin + 1 < entries ? columns[begin + 1] : kNoVertex;
      four.z = begin + 2 < entries ? columns[begin + 2] : kNoVertex;
      four.w = kNoVertex;
    }
    const vertex_t u[kAtOnce] = {four.x, four.y, four.z, four.w};
    SearchBits words[kAtOnce] = {};  // all requested before the first is used
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      if (begin + t >= at && begin + t < end) words[t] = frontier[u[t]];
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) met |= words[t];
    at = begin + kAtOnce;
  }
}

// Puts aside the rests of the lanes' rows, in segments. Called by all lanes of a warp.
template <typename Offset>
__device__ void batch_put_aside(const BatchWork<Offset>& work, BatchCounts* counts, vertex_t v,
                                Offset rest) {
  const auto own = static_cast<std::uint32_t>((rest + kBatchSegment - 1) / kBatchSegment);
  const std::uint32_t place = places_of_warp(&counts->aside, own);
  for (unsigned owners = __ballot_sync(kAllLanes, own > 0); owners != 0; owners &= owners - 1) {
    const int owner = __ffs(static_cast<int>(owners)) - 1;
    const vertex_t vertex = __shfl_sync(kAllLanes, v, owner);
    const std::uint32_t first = __shfl_sync(kAllLanes, place, owner);
    const std::uint32_t segments = __shfl_sync(kAllLanes, own, owner);
    for (std::uint32_t i = lane_id(); i < segments; i += 32) {
      work.segment_vertices[first + i] = vertex;
      work.segment_numbers[first + i] = i;
    }
  }
}

// The first of two parts of a bottom-up level. A lane looks along the row of one vertex, and a warp
// at neighbouring vertices, whose rows lie together.
template <typename Offset>
__device__ void batch_collect(const BatchWork<Offset>& work, const BatchCourse& course,
                              SearchBits all) {
  const SearchBits* const frontier = batch_found(work, course.level);
  SearchBits* const found = batch_found(work, course.level + 1);
  BatchCounts* const counts = batch_counts(work, course.level + 1);
  const Offset entries = work.in.row_offsets[work.vertices];
  BatchShare share;
  const std::size_t end = (std::size_t{work.vertices} + 31) / 32 * 32;  // for whole warps
  for (std::size_t i = thread_in_grid(); i < end; i += threads_in_grid()) {
    const auto v = static_cast<vertex_t>(i);
    const bool is_vertex = i < work.vertices;
    const SearchBits wanted = is_vertex ? course.alive & ~course.narrow & ~work.seen[v] : 0;
    SearchBits met = 0;
    Offset rest = 0;
    if (wanted != 0) {
      const vertex_t first = work.first[v];
      if (first != kNoVertex) met = frontier[first];
      if (first != kNoVertex && (wanted & ~met) != 0) {
        const Offset at = work.in.row_offsets[v] + 1;
        const Offset row_end = work.in.row_offsets[v + std::size_t{1}];
        const Offset alone = row_end - at > kBatchAlone ? at + kBatchAlone : row_end;
        batch_look(work.in.columns, entries, frontier, wanted, at, alone, met);
        if (alone < row_end && (wanted & ~met) != 0) rest = row_end - alone;
      }
    }
    met &= wanted;
    if (is_vertex) found[v] = met;
    if (met != 0 && rest == 0) batch_settle(work, all, v, met, share);
    if (__any_sync(kAllLanes, rest != 0) != 0) batch_put_aside(work, counts, v, rest);
  }
  share.put(counts);
}

// The second part: a warp looks at a segment that was put aside.
template <typename Offset>
__device__ void batch_collect_aside(const BatchWork<Offset>& work, const BatchCourse& course) {
  constexpr unsigned kAtOnce = 4;
  const SearchBits* const frontier = batch_found(work, course.level);
  SearchBits* const found = batch_found(work, course.level + 1);
  for (std::size_t i = thread_in_grid() / 32; i < course.aside; i += threads_in_grid() / 32) {
    const vertex_t v = work.segment_vertices[i];
    const Offset begin =
        work.in.row_offsets[v] + 1 + kBatchAlone + Offset{kBatchSegment} * work.segment_numbers[i];
    const Offset row_end = work.in.row_offsets[v + std::size_t{1}];
    const Offset end = row_end - begin > kBatchSegment ? begin + kBatchSegment : row_end;
    const SearchBits wanted = course.alive & ~course.narrow & ~work.seen[v];
    SearchBits met = __shfl_sync(kAllLanes, fresh_bits(found + v), 0);  // by other segments, too
    for (Offset at = begin; at < end && (wanted & ~met) != 0; at += 32 * kAtOnce) {
      vertex_t u[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        const Offset place = at + 32 * t + lane_id();
        u[t] = place < end ? work.in.columns[place] : kNoVertex;
      }
      SearchBits own = 0;
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) own |= u[t] != kNoVertex ? frontier[u[t]] : 0;
      met |= searches_of_warp(own);
    }
    if (lane_id() == 0 && (met & wanted) != 0) atomicOr(found + v, met & wanted);
  }
}

// Settles the vertices whose rows were put aside.
template <typename Offset>
__device__ void batch_settle_aside(const BatchWork<Offset>& work, const BatchCourse& course,
                                   SearchBits all) {
  const SearchBits* const found = batch_found(work, course.level + 1);
  BatchShare share;
  for (std::size_t i = thread_in_grid(); i < course.aside; i += threads_in_grid()) {
    const vertex_t v = work.segment_vertices[i];
    if (work.segment_numbers[i] != 0 || found[v] == 0) continue;
    batch_settle(work, all, v, found[v], share);
  }
  share.put(batch_counts(work, course.level + 1));
}

// Marks what the searches `course.narrow` have found, after the others, as seen, and counts it.
template <typename Offset>
__device__ void batch_settle_narrow(const BatchWork<Offset>& work, const BatchCourse& course,
                                    SearchBits all) {
  const SearchBits* const found = batch_found(work, course.level + 1);
  BatchShare share;
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    const SearchBits own = found[v] & course.narrow;
    if (own == 0) continue;
    batch_settle(work, all, static_cast<vertex_t>(v), own, share, found[v] == own);
  }
  share.put(batch_counts(work, course.level + 1));
}

}  // namespace bfslab::cuda
