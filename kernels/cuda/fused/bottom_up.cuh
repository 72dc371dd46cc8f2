// SPDX-License-Identifier: Apache-2.0
// Bottom-up levels of `fused`, by first neighbours (bottom_up/first_neighbors.cuh). The longest
// rows belong to few warps. A warp therefore puts aside the rest of a row that is still long, in
// segments, and the whole grid looks at these after a barrier. Where all rows of a turn are equally
// long, a table gives their beginnings, and offsets are not read. The first bits of the frontier,
// hubs' where ids are ordered by degree, lie in shared memory.
//
// Only segments need a claim, since a vertex belongs to one warp. One barrier of the grid per
// level, or two. Each function is called by all threads of the grid unless it says otherwise.
#pragma once

#include "kernels/cuda/bottom_up/first_neighbors.cuh"
#include "kernels/cuda/fused/turns.cuh"

namespace bfslab::cuda {

// Shared memory of a bottom-up level; the hot words, which are the frontier's first, follow it.
struct FusedBottomUpMemory {
  static constexpr std::uint32_t kMaxListed = 128;

  FirstNeighbors::WarpMemory warps[kFusedWarps];
  vertex_t listed[kMaxListed];  // the vertices that the block has found, if they are few
  std::uint32_t count;          // of them all
  std::uint32_t place;          // in the queue's end
};

// FirstNeighbors' Look.
template <bool kCounts, bool kHot, typename Work>
struct FusedLook {
  using Offset = typename Work::Offset;
  static constexpr bool kReadsClosed = false;
  static constexpr bool kPutsAside = true;

  const Work& work;
  level_t found_level;  // the level of the vertices that it finds
  const std::uint32_t* front;
  const std::uint32_t* hot;  // shared
  std::uint32_t hot_ids;
  unsigned long long checked = 0;  // entries read; counted on request

  __device__ void count(unsigned entries) {
    if constexpr (kCounts) checked += entries;
  }
  [[nodiscard]] __device__ const vertex_t* first() const { return work.first; }
  [[nodiscard]] __device__ const vertex_t* columns() const { return work.in.columns; }
  [[nodiscard]] __device__ unsigned misses() const { return work.misses; }

  [[nodiscard]] __device__ std::uint32_t word_of(vertex_t u) const {
    const std::uint32_t* bits = front;
    if constexpr (kHot) bits = u < hot_ids ? hot : front;
    return bits[u / 32];
  }
  [[nodiscard]] __device__ std::uint32_t first_word_of(vertex_t u, bool is_open) const {
    return is_open ? word_of(u) : 0;
  }
  [[nodiscard]] __device__ bool is_parent(vertex_t u) const {
    return (word_of(u) >> (u % 32) & 1U) != 0;
  }

  __device__ void found(vertex_t v, vertex_t parent) const {
    work.levels[v] = found_level;
    if (work.parents != nullptr) work.parents[v] = parent;
  }
  // Labels four vertices together if all are open. A miss is labelled when found, or at the end.
  __device__ __forceinline__ unsigned found_first(vertex_t v, unsigned on, const uint4& four,
                                                  unsigned open, unsigned hits) const {
    if (hits == 0) return 0;
    level_t* const levels = work.levels + v + on;
    vertex_t* const parents = work.parents + v + on;  // if there are any
    const bool writes_parents = work.parents != nullptr && work.first_mark == 0;
    const level_t level = found_level | work.first_mark;
    if (open == 0xFU) {
      *reinterpret_cast<uint4*>(levels) = make_uint4(level, level, level, level);
      if (writes_parents) *reinterpret_cast<uint4*>(parents) = four;
      return hits;
    }
    const vertex_t parent[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (unsigned t = 0; t < 4; ++t) {
      if ((hits >> t & 1U) != 0) levels[t] = level;
    }
    if (!writes_parents) return hits;
#pragma unroll
    for (unsigned t = 0; t < 4; ++t) {
      if ((hits >> t & 1U) != 0) parents[t] = parent[t];
    }
    return hits;
  }

  [[nodiscard]] __device__ std::uint32_t with_more(std::uint32_t w, std::uint32_t missed) const {
    if (w * 32 + 31 >= work.ones_from) {
      missed &= w * 32 < work.ones_from ? (1U << (work.ones_from - w * 32)) - 1 : 0;
    }
    return missed;
  }

  // Called by all lanes.
  [[nodiscard]] __device__ FirstNeighbors::Rows<Offset> rows_of(std::uint32_t first_word,
                                                                unsigned words) const {
    const vertex_t first = first_word * 32;
    const vertex_t last = min((first_word + words) * 32, work.vertices) - 1;
    FirstNeighbors::Rows<Offset> rows{work.in.row_offsets};
    if (work.degree_rows == nullptr) return rows;
    const DegreeRows own_rows = work.degree_rows[lane_id() + 1];  // rows of degree lane + 1
    const bool holds = own_rows.from <= first && last < work.degree_rows[lane_id()].from;
    const unsigned lanes = __ballot_sync(kAllLanes, holds);
    if (lanes == 0) return rows;
    const int lane = __ffs(static_cast<int>(lanes)) - 1;
    rows.degree = lane + 1;
    rows.shift = static_cast<Offset>(__shfl_sync(kAllLanes, own_rows.shift, lane));
    return rows;
  }

  // Leaves the rest of the lanes' rows to the whole grid. Called by all lanes.
  __device__ void put_aside(vertex_t v, Offset next, Offset end) const {
    const auto own = next < end ? static_cast<unsigned>((end - next - 1) / kFusedSegment + 1) : 0U;
    const unsigned place = places_of_warp(&work.slots.at(found_level)->candidates, own);
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

// Makes a FusedLook with `hot_words` words of the frontier in shared memory (fused_bottom_up).
template <bool kCounts, bool kHot, typename Work>
__device__ FusedLook<kCounts, kHot, Work> fused_look(const Work& work, level_t level,
                                                     std::uint32_t hot_words) {
  const std::byte* hot = fused_shared() + sizeof(FusedBottomUpMemory);
  // Hides the address; otherwise each lookup recomputes the generic address of shared memory.
  asm("" : "+l"(hot));
  level_t found_level = level + 1;
  asm("" : "+r"(found_level));  // otherwise each store adds 1 anew
  return {work, found_level, work.front[level % 2], reinterpret_cast<const std::uint32_t*>(hot),
          hot_words * 32};
}

// Returns how many of the frontier's words are worth a copy in shared memory once `visited`
// vertices are visited; 0 if few vertices are left to look.
template <typename Work>
__device__ std::uint32_t fused_hot_words(const Work& work, std::uint64_t visited) {
  constexpr unsigned kInverseShare = 16;  // the inverse of a share of all vertices
  return visited + work.reachable / kInverseShare < work.reachable
             ? min(work.hot_words, fused_all_words(work))
             : 0;
}

// Sets front[level % 2] from the queue, after levels that only kept a queue.
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

// Labels the vertices of a turn that `bits`, the lane's word, names. Called by all lanes.
//
// Example: lane 0 has the bits 3 and 9, and lane 7 has bit 3. Each lane labels the vertices of its
// word, in two steps. If lane 7 has more than kFewBits, lanes take a bit each of word 0, then of
// word 7: a word's labels are neighbours, and one store writes them.
template <typename Work>
__device__ __forceinline__ void fused_label_turn(const Work& work, level_t level,
                                                 std::uint32_t first, std::uint32_t bits) {
  constexpr int kFewBits = 8;
  if (__any_sync(kAllLanes, __popc(bits) > kFewBits) == 0) {
    level_t* const levels = work.levels + std::size_t{first + lane_id()} * 32;
    for (; bits != 0; bits &= bits - 1) levels[__ffs(static_cast<int>(bits)) - 1] = level;
    return;
  }
  for (unsigned words = __ballot_sync(kAllLanes, bits != 0); words != 0; words &= words - 1) {
    const int j = __ffs(static_cast<int>(words)) - 1;
    if ((__shfl_sync(kAllLanes, bits, j) >> lane_id() & 1U) != 0) {
      work.levels[std::size_t{first + j} * 32 + lane_id()] = level;
    }
  }
}

// Lists the vertices of a turn that `found`, the lane's word, names, as long as the block has few.
// Called by all lanes.
__device__ inline void fused_list(FusedBottomUpMemory& shared, std::uint32_t first,
                                  std::uint32_t found) {
  const std::uint32_t listed = *static_cast<volatile std::uint32_t*>(&shared.count);
  if (__any_sync(kAllLanes, found != 0 && listed <= shared.kMaxListed) == 0) return;
  for (std::uint32_t at = places_of_warp(&shared.count, __popc(found)); found != 0;
       found &= found - 1, ++at) {
    if (at >= shared.kMaxListed) break;
    shared.listed[at] = (first + lane_id()) * 32 + __ffs(static_cast<int>(found)) - 1;
  }
}

// Puts the vertices that the block has listed at the end of `level`'s queue, and sums their edges,
// if it has listed all that it has found. The grid uses the queue only if every block has, which
// the number of its vertices shows. Called by all threads of a block.
template <typename Work>
__device__ void fused_queue_listed(const Work& work, level_t level, FusedBottomUpMemory& shared) {
  const std::uint32_t count = shared.count;
  if (count == 0 || count > shared.kMaxListed) return;
  LevelSlot* const slot = work.slots.at(level);
  if (threadIdx.x == 0) shared.place = atomicAdd(&slot->ticket, count);
  const std::uint32_t i = threadIdx.x;
  const edge_t degree = i < count ? degree_of(work.out, shared.listed[i]) : 0;
  add_of_block(degree, &slot->early_edges);  // has synchronised the block
  if (i < count) {
    work.queues[level % 2][work.queue_room - 1 - shared.place - i] = shared.listed[i];
  }
}

// Runs the level except the segments that it puts aside. `owes`: first labels the frontier's own
// vertices (sweep.cuh).
template <bool kCounts, bool kHot, typename Work>
__device__ void fused_bottom_up(const Work& work, level_t level, std::uint32_t hot_words,
                                bool owes) {
  auto& shared = *reinterpret_cast<FusedBottomUpMemory*>(fused_shared());
  auto* const hot = reinterpret_cast<std::uint32_t*>(&shared + 1);
  const std::uint32_t* const front = work.front[level % 2];
  std::uint32_t* const next_front = work.front[(level + 1) % 2];
  for (std::uint32_t w = threadIdx.x; w < hot_words; w += kFusedThreads) hot[w] = front[w];
  if (threadIdx.x == 0) shared.count = 0;
  __syncthreads();
  auto look = fused_look<kCounts, kHot>(work, level, hot_words);
  FirstNeighbors::WarpMemory& memory = shared.warps[threadIdx.x / 32];

  unsigned count = 0;
  unsigned moved = 0;
  const std::uint32_t chunk = work.up_chunk;
  for (std::uint32_t first = fused_first_word(chunk); first < work.words;
       first += fused_words_per_round(chunk)) {
    const std::uint32_t w = first + lane_id();
    const bool has_word = lane_id() < chunk && w < work.words;
    const std::uint32_t closed = has_word ? work.visited[w] : ~0U;
    if (owes) fused_label_turn(work, level, first, has_word ? front[fused_place(work, w)] : 0);
    const std::uint32_t found = FirstNeighbors::run_turn(look, memory, first, chunk, closed);
    if (has_word) {
      moved += fused_set_front(work, next_front, level + 1, w, found);
      if (found != 0) work.visited[w] = closed | found;
      count += __popc(found);
    }
    if (work.lists_few) fused_list(shared, first, found);
  }
  add_of_block(count, &work.slots.at(level + 1)->vertices);  // has synchronised the block
  if (work.lists_few) fused_queue_listed(work, level + 1, shared);
  fused_count_moved(work, level, moved);
  if constexpr (kCounts) add_of_block(look.checked, &work.slots.at(level + 1)->checked);
}

// Looks at what fused_bottom_up has put aside: `listed` segments of rows, eight lanes each. Called
// after a barrier of the grid, and before shared memory is reused.
template <bool kCounts, typename Work>
__device__ void fused_bottom_up_aside(const Work& work, level_t level, std::uint32_t hot_words,
                                      std::uint32_t listed) {
  using Offset = typename Work::Offset;
  constexpr unsigned kLanes = 8;   // of a segment
  constexpr unsigned kAtOnce = 4;  // entries in flight per lane
  auto look = fused_look<kCounts, true>(work, level, hot_words);
  std::uint32_t* const next_front = work.front[(level + 1) % 2];
  unsigned long long count = 0;
  unsigned moved = 0;
  const unsigned own_lane = lane_id() % kLanes;  // in the segment
  const auto of_segment = [](bool holds) {       // bits of the segment's lanes
    return __ballot_sync(kAllLanes, holds) >> (lane_id() / kLanes * kLanes) & ((1U << kLanes) - 1);
  };
  for (std::uint32_t first = thread_in_grid() / 32 * (32 / kLanes); first < listed;
       first += threads_in_grid() / kLanes) {
    const std::uint32_t i = first + lane_id() / kLanes;
    const vertex_t vertex = i < listed ? work.queues[0][i] : kNoVertex;
    Offset at = 0;
    Offset end = 0;
    if (vertex != kNoVertex) {
      at = work.in.row_offsets[vertex] + 1 + FirstNeighbors::kAlone +
           Offset{kFusedSegment} * work.queues[1][i];
      end = min(work.in.row_offsets[vertex + std::size_t{1}], at + kFusedSegment);
    }
    const std::uint32_t bit = 1U << vertex % 32;
    // Ends once this segment or another one of its vertex has found a parent.
    while (__any_sync(kAllLanes, at < end) != 0) {
      const bool has_parent = at < end && (fresh(work.visited + vertex / 32) & bit) != 0;
      vertex_t u[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        const Offset place = at + kLanes * t + own_lane;
        u[t] = place < end ? work.in.columns[place] : kNoVertex;
        look.count(place < end ? 1 : 0);
      }
      vertex_t parent = kNoVertex;
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        if (u[t] != kNoVertex && look.is_parent(u[t])) parent = u[t];
      }
      const unsigned hits = of_segment(parent != kNoVertex);
      const bool is_over = of_segment(has_parent) != 0;
      if (!is_over && hits != 0 &&
          own_lane == static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1 &&
          (atomicOr(work.visited + vertex / 32, bit) & bit) == 0) {
        moved += fused_add_to_front(work, next_front, level + 1, vertex);
        look.found(vertex, parent);
        ++count;
      }
      at = is_over || hits != 0 ? end : at + kLanes * kAtOnce;
    }
  }
  add_of_block(count, &work.slots.at(level + 1)->vertices);
  fused_count_moved(work, level, moved);
  if constexpr (kCounts) add_of_block(look.checked, &work.slots.at(level + 1)->checked);
}

// Sums the out-degrees of front[level % 2], which bottom-up has found, if edges are counted.
template <typename Work>
__device__ void fused_sum_edges(const Work& work, level_t level) {
  unsigned long long edges = 0;
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    if (test(work.front[level % 2], fused_id(work, static_cast<vertex_t>(v)))) {
      edges += degree_of(work.out, static_cast<vertex_t>(v));
    }
  }
  add_of_block(edges, &work.slots.at(level)->edges);
}

}  // namespace bfslab::cuda
