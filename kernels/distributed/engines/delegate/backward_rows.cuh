// SPDX-License-Identifier: Apache-2.0
// How candidates of a backward visit look through their rows for a parent in the frontier: by first
// neighbours (bottom_up/first_neighbors.cuh), and then along the rest of each row.
//
// A warp takes 32 words of candidates. They look at the first entries of their rows, in order, and
// those that miss and have more are laid out one after the other, two for each lane. After some
// kAlone entries the warp goes on together, and rests longer than kTogether are left to the whole
// block or, where a LeftRows takes them, to all blocks, so that no hub keeps a thread, a warp or a
// block busy.
//
// Cost: a word of candidates, and 4 bytes in order for each candidate; a candidate that misses
// there reads two offsets, and its row until it finds a parent, four entries at once. A warp sets
// what it has found by one atomic per word. It wins where most candidates have a parent as their
// first neighbour, as where neighbours are sorted by descending degree.
//
// A task says who looks for whom (backward_looks.cuh): words_at() and candidates() give the words
// of candidates, `first` the first entries, `parents` the bits of parents; found() and set_found()
// take the results.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/cuda/bottom_up/first_neighbors.cuh"
#include "kernels/cuda/device/stress.cuh"
#include "kernels/distributed/engines/delegate/backward_looks.cuh"

namespace bfslab::distributed::delegate {

// Returns, as bits, which of `entries` are parents, of those that have a bit in `looked_up`. All
// are requested before the first is awaited. A condition would be a branch and a wait, so delegate
// 0 is requested in place of the others.
template <typename Look, unsigned kCount>
__device__ __forceinline__ unsigned parents_among(const Look& task, const std::uint32_t* kept,
                                                  const local_vertex_t (&entries)[kCount],
                                                  unsigned looked_up) {
  std::uint32_t words[kCount];
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) {
    words[t] = task.parents.word_of((looked_up >> t & 1U) != 0 ? entries[t] : 0, kept);
  }
  unsigned hits = 0;
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) hits |= (words[t] >> entries[t] % 32 & 1U) << t;
  return hits & looked_up;
}

// FirstNeighbors' Look: at the first entries of a task's candidates.
template <typename Look>
struct FirstLook {
  static constexpr bool kReadsClosed = true;

  const Look& task;
  const std::uint32_t* kept;

  __device__ static void count(unsigned /*entries*/) {}  // look_through() counts a turn's at once
  [[nodiscard]] __device__ const FirstEntry* first() const { return task.first; }
  // Delegate 0 is looked up for a closed candidate, as in parents_among().
  [[nodiscard]] __device__ std::uint32_t first_word_of(std::uint32_t word, bool is_open) const {
    return task.parents.word_of(is_open ? FirstEntry{word}.entry() : 0, kept);
  }
  // Returns the bits of candidates that found a parent and, eight bits above, of those that did or
  // have no other entry.
  __device__ unsigned found_first(local_vertex_t v, unsigned on, const uint4& four,
                                  unsigned /*open*/, unsigned hits) const {
    const FirstEntry u[4] = {{four.x}, {four.y}, {four.z}, {four.w}};
    unsigned ended = hits;
#pragma unroll
    for (unsigned t = 0; t < 4; ++t) ended |= (u[t].is_only() ? 1U : 0U) << t;
    if (!Look::notes_first() && task.keeps_parents()) {
#pragma unroll
      for (unsigned t = 0; t < 4; ++t) {
        if ((hits >> t & 1U) != 0) task.found(v + on + t, u[t].entry());
      }
    }
    return hits | ended << 8;
  }
};

// Returns the first of `entries` that has a bit in `hits`.
template <unsigned kCount>
__device__ __forceinline__ local_vertex_t first_hit(const local_vertex_t (&entries)[kCount],
                                                    unsigned hits) {
  const unsigned first = __ffs(static_cast<int>(hits)) - 1;
  local_vertex_t hit = entries[0];
#pragma unroll
  for (unsigned j = 1; j < kCount; ++j) hit = j == first ? entries[j] : hit;
  return hit;
}

// The entries of a row that are read at once: those among an aligned group of four, since a lane's
// read of four costs what that of one does.
struct FourEntries {
  std::uint64_t at = 0;  // the place of the first of four
  unsigned of_row = 0;   // bits of those that belong to the row

  __device__ FourEntries(std::uint64_t begin, std::uint32_t left) : at(begin / 4 * 4) {
    const auto before = static_cast<unsigned>(begin % 4);
    of_row = ((1U << min(left, 4 - before)) - 1) << before;
  }
  [[nodiscard]] __device__ unsigned count() const { return __popc(of_row); }

  template <typename Graph>
  [[nodiscard]] __device__ uint4 load(const Graph& graph) const {
    static_assert(sizeof(*graph.columns) == sizeof(std::uint32_t));
    if (of_row == 0) return {};
    if (at + 4 <= graph.entries) return *reinterpret_cast<const uint4*>(graph.columns + at);
    const auto one = [&](unsigned j) {
      return (of_row >> j & 1U) != 0 ? graph.columns[at + j] : 0;
    };
    return make_uint4(one(0), one(1), one(2), one(3));
  }
};

// Looks at the rest of a row with `step` threads, of which this one has the number `first`. Each
// takes four adjacent entries, and two times that at once. All stop once any has found a parent; if
// several find one at the same time, each is right.
template <typename Graph, typename Look>
__device__ void look_along(const Graph& graph, const Look& task, const std::uint32_t* kept,
                           const RestOfRow& rest, std::size_t first, std::size_t step,
                           unsigned long long& read) {
  constexpr unsigned kFours = 2;
  const std::uint64_t end = rest.begin + rest.left;
  const std::uint64_t fours = (end + 3) / 4;
  for (std::uint64_t f = rest.begin / 4 + first; f < fours; f += kFours * step) {
    local_vertex_t to[kFours * 4];
    unsigned of_row = 0;
    uint4 entries[kFours];
#pragma unroll
    for (unsigned k = 0; k < kFours; ++k) {
      const std::uint64_t begin = max(rest.begin, (f + k * step) * 4);
      const FourEntries four(begin, begin < end ? static_cast<std::uint32_t>(end - begin) : 0);
      of_row |= four.of_row << 4 * k;
      entries[k] = four.load(graph);
    }
    const bool ended = task.has_found(rest.vertex);
#pragma unroll
    for (unsigned k = 0; k < kFours; ++k) {
      to[4 * k] = entries[k].x;
      to[4 * k + 1] = entries[k].y;
      to[4 * k + 2] = entries[k].z;
      to[4 * k + 3] = entries[k].w;
    }
    if (ended) return;
    const unsigned hits = parents_among(task, kept, to, of_row);
    read += __popc(of_row);
    if (hits == 0) continue;
    cuda::stress_pause();
    task.found(rest.vertex, first_hit(to, hits));
    task.set_found(rest.vertex / 32, 1U << rest.vertex % 32);
    return;
  }
}

// The looks of one warp at what its candidates' rows have besides their first entries: the rows of
// a turn are laid out, and each lane has kRows of them at once.
template <typename Graph, typename Look>
struct WarpLook {
  static constexpr unsigned kRows = 2;
  static constexpr unsigned kBatch = 4;
  static constexpr unsigned kAlone = 16;
  static constexpr std::uint32_t kTogether = 8192;

  const Graph& graph;
  const Look& task;
  const LookWords& turns;
  unsigned long long& read;  // entries, by the thread
  const std::uint32_t* const kept = task.parents.kept_words();
  std::uint16_t* const places = places_of_warp();  // the bits of the rows laid out
  std::uint32_t* const found = words_of_warp();    // [32] bits of the turn's words

  [[nodiscard]] __device__ local_vertex_t vertex_at(std::size_t turn, std::uint32_t place) const {
    const unsigned bit = places[place];
    return static_cast<local_vertex_t>(turns.word(turn, bit / 32) * 32 + bit % 32);
  }
  // Takes the parent of the row that is the `place`-th of those laid out.
  __device__ void hit(std::uint32_t place, local_vertex_t vertex, local_vertex_t parent) const {
    task.found(vertex, parent);
    const unsigned bit = places[place];
    atomicOr(found + bit / 32, 1U << bit % 32);
  }
  // Begins the lane's rows base, base + 32, ... of `count`, each behind the entry that was looked
  // at first. All are requested before the first is awaited: past the last row, that one again.
  __device__ __forceinline__ void begin(std::size_t turn, std::uint32_t base, std::uint32_t count,
                                        RestOfRow (&row)[kRows]) const {
    std::uint64_t ends[kRows];
#pragma unroll
    for (unsigned k = 0; k < kRows; ++k) {
      row[k].vertex = vertex_at(turn, min(base + 32 * k, count - 1));
      row[k].begin = graph.row_offsets[row[k].vertex];
      ends[k] = graph.row_offsets[row[k].vertex + std::size_t{1}];
    }
#pragma unroll
    for (unsigned k = 0; k < kRows; ++k) {
      row[k].begin += Look::kLooksAtFirst ? 1 : 0;
      row[k].left = base + 32 * k < count ? static_cast<std::uint32_t>(ends[k] - row[k].begin) : 0;
    }
  }
  // Each lane looks at up to kAlone entries of its rows.
  __device__ __forceinline__ void look_alone(std::uint32_t base, RestOfRow (&row)[kRows]) const {
    for (unsigned tried = 0; tried < kAlone; tried += kBatch) {
      uint4 entries[kRows];
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        entries[k] = FourEntries(row[k].begin, row[k].left).load(graph);
      }
      bool more = false;
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        const FourEntries four(row[k].begin, row[k].left);
        const local_vertex_t to[kBatch] = {entries[k].x, entries[k].y, entries[k].z, entries[k].w};
        const unsigned hits = parents_among(task, kept, to, four.of_row);
        read += four.count();
        row[k].begin += four.count();
        row[k].left -= four.count();
        if (hits != 0) {
          hit(base + 32 * k, row[k].vertex, first_hit(to, hits));
          row[k].left = 0;
        }
        more |= row[k].left > 0;
      }
      if (!more) break;
    }
  }
  // The warp looks together at the rest of each lane's k-th row, if it is not left to more threads.
  template <typename Left>
  __device__ __forceinline__ void look_together(std::uint32_t base, unsigned k,
                                                const RestOfRow& of_lane, const Left& left_rows,
                                                LookSpace& space) const {
    unsigned left = __ballot_sync(kAllLanes, of_lane.left > 0);
    while (left != 0) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      left &= left - 1;
      RestOfRow rest;
      rest.vertex = __shfl_sync(kAllLanes, of_lane.vertex, owner);
      rest.left = __shfl_sync(kAllLanes, of_lane.left, owner);
      rest.begin = __shfl_sync(kAllLanes, of_lane.begin, owner);
      if (left_rows.takes(rest)) {
        if (lane_id() == 0) left_rows.leave(rest);
        continue;
      }
      if (rest.left > kTogether) {
        unsigned place = 0;
        if (lane_id() == 0) {
          place = atomicAdd(&space.listed, 1U);
          if (place < LookSpace::kMaxRows) space.rows[place] = rest;
        }
        if (__shfl_sync(kAllLanes, place, 0) < LookSpace::kMaxRows) continue;
      }
      for (std::uint32_t e = lane_id(); e < rest.left + lane_id(); e += 32) {
        const bool within = e < rest.left;
        const local_vertex_t to = within ? graph.columns[rest.begin + e] : 0;
        const bool hit_here = within && (task.parents.word_of(to, kept) >> to % 32 & 1U) != 0;
        const unsigned hits = __ballot_sync(kAllLanes, hit_here);
        read += within ? 1 : 0;
        if (hits == 0) continue;
        if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(hits)) - 1) {
          hit(base - lane_id() + 32 * k + static_cast<unsigned>(owner), rest.vertex, to);
        }
        break;
      }
      __syncwarp();
    }
  }
  // The warp looks through the `count` rows of a turn that are laid out.
  template <typename Left>
  __device__ __forceinline__ void look(std::size_t turn, std::uint32_t count, const Left& left_rows,
                                       LookSpace& space) const {
    for (std::uint32_t base = lane_id(); base < count + lane_id(); base += 32 * kRows) {
      RestOfRow row[kRows];
      begin(turn, base, count, row);
      look_alone(base, row);
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        look_together(base, k, row[k], left_rows, space);
      }
    }
  }
};

// Lets the candidates of a task look for their parents in `graph`, whose candidates' bits have
// `words` words. `checked` counts the entries read. Called by all threads of a grid of blocks of
// kLookThreads, each of which has kept the bits of parents (FrontierBits::keep).
template <typename Graph, typename Look, typename Left>
__device__ void look_through(const Graph& graph, const Look& task, std::size_t words,
                             const Left& left_rows, unsigned long long* checked) {
  LookSpace& space = look_space();
  if (threadIdx.x == 0) space.listed = 0;
  __syncthreads();

  unsigned long long read = 0;
  const LookWords turns = task.words_of(words);
  const WarpLook<Graph, Look> warp{graph, task, turns, read};
  std::uint32_t* const found = warp.found;
  std::uint32_t* const settled = found + 32;
  const auto words_of = [&](std::size_t turn) {
    const std::size_t at = turn < turns.turns ? turns.word(turn, lane_id()) : words;
    return at < words ? task.words_at(at) : CandidateWords{};
  };
  // Neighbouring turns go to different blocks. Each turn's words are requested in the one before.
  std::size_t turn = std::size_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
  CandidateWords next = words_of(turn);
  for (; turn < turns.turns; turn += std::size_t{gridDim.x} * LookSpace::kWarps) {
    const CandidateWords now = next;
    next = words_of(turn + std::size_t{gridDim.x} * LookSpace::kWarps);
    const std::size_t at = turns.word(turn, lane_id());
    std::uint32_t candidates = at < words ? task.candidates(now, at) : 0;
    if (__any_sync(kAllLanes, candidates != 0) == 0) continue;
    found[lane_id()] = settled[lane_id()] = 0;
    __syncwarp();
    if constexpr (Look::kLooksAtFirst) {
      read += __popc(candidates);
      FirstLook<Look> first_look{task, warp.kept};
      cuda::FirstNeighbors::look_at_first(
          first_look, ~candidates, 32,
          [&](unsigned j) { return static_cast<local_vertex_t>(turns.word(turn, j) * 32); },
          [&](unsigned i, unsigned bits) {
            reinterpret_cast<std::uint8_t*>(found)[i] = static_cast<std::uint8_t>(bits);
            reinterpret_cast<std::uint8_t*>(settled)[i] = static_cast<std::uint8_t>(bits >> 8);
          });
      __syncwarp();
      if constexpr (Look::notes_first()) task.note_first(at, found[lane_id()]);
      candidates &= ~settled[lane_id()];
    }
    const std::uint32_t count = cuda::lay_out(candidates, warp.places);
    __syncwarp();
    warp.look(turn, count, left_rows, space);
    __syncwarp();  // before the warp's parts of shared memory are written again
    cuda::stress_pause();
    if (found[lane_id()] != 0) task.set_found(at, found[lane_id()]);
    __syncwarp();
  }

  __syncthreads();
  const unsigned all = min(space.listed, LookSpace::kMaxRows);
  for (unsigned i = 0; i < all; ++i) {
    look_along(graph, task, warp.kept, space.rows[i], threadIdx.x, kLookThreads, read);
  }
  cuda::add_of_block(read, checked);
}

// Looks at the rows that look_through() left, after all blocks have ended it: the whole grid takes
// one row after the other.
template <typename Graph, typename Look>
__device__ void look_at_left(const Graph& graph, const Look& task, const LeftRows& left,
                             unsigned long long* checked) {
  const std::uint32_t count = fresh(left.count);
  if (count == 0) return;
  unsigned long long read = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const uint4 words = __ldcg(reinterpret_cast<const uint4*>(left.rows + i));
    const RestOfRow rest = std::bit_cast<RestOfRow>(words);
    look_along(graph, task, task.parents.kept_words(), rest, cuda::thread_in_grid(),
               cuda::threads_in_grid(), read);
  }
  cuda::add_of_block(read, checked);
}

}  // namespace bfslab::distributed::delegate
