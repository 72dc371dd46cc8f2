// SPDX-License-Identifier: Apache-2.0
// The bottom-up look by first neighbours: candidates look through their rows for a parent in the
// frontier, the first entries of all rows before anything else.
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
// of candidates, `first` the first entries, parent_word() the bits of parents; found() and
// set_found() take the results.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/distributed/engines/delegate/long_rows.cuh"
#include "kernels/distributed/engines/delegate/look_words.hpp"

namespace bfslab::distributed::delegate {

// The first entry of a row, kept by itself, and a bit that is set if the row has no other, so that
// a candidate that misses there need not ask how long it is. The entries are delegates, of which
// there are at most 2^31.
struct FirstEntry {
  static constexpr std::uint32_t kOnly = 1U << 31;
  std::uint32_t word = 0;

  [[nodiscard]] __device__ local_vertex_t entry() const { return word & ~kOnly; }
  [[nodiscard]] __device__ bool is_only() const { return (word & kOnly) != 0; }
};

// Bits of 32 vertices: those with edges in the subgraph, and those that need not look.
struct CandidateWords {
  std::uint32_t sources = 0;
  std::uint32_t known = 0;
  std::uint32_t of_owner = 0;  // known to the word's owner, where it was asked

  [[nodiscard]] __device__ std::uint32_t open() const { return sources & ~known; }
};

// Bits of the frontier's delegates, of which a block keeps the first ones in shared memory. Where
// delegates are numbered by degree these are hubs, with which most rows begin, and all lanes look
// them up at once; the level-1 cache would take a turn for each line that they ask for.
struct FrontierBits {
  static constexpr unsigned kMaxKept = 4096;

  const std::uint32_t* bits = nullptr;
  std::uint32_t kept = 0;  // words, at most kMaxKept

  // Keeps the bits. Called by all threads of a block of kLookThreads before it looks, whenever the
  // bits have changed, and followed by a barrier of the block.
  __device__ void keep() const {
    __syncthreads();  // looks before this one may still read them
    for (std::uint32_t w = threadIdx.x; w < kept; w += kLookThreads) space()[w] = bits[w];
  }
  // Returns where they are kept. The compiler cannot see through this pointer: it would compute the
  // address anew for each look otherwise.
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() {
    const std::uint32_t* words = space();
    asm("" : "+l"(words));
    return words;
  }
  // Returns the word with u's bit.
  [[nodiscard]] __device__ std::uint32_t word_of(local_vertex_t u,
                                                 const std::uint32_t* kept_words) const {
    const std::uint32_t* const words = u / 32 < kept ? kept_words : bits;
    return words[u / 32];
  }

 private:
  [[nodiscard]] __device__ static std::uint32_t* space() {
    __shared__ std::uint32_t words[kMaxKept];
    return words;
  }
};

template <typename Look>
__device__ __forceinline__ bool is_parent(const Look& task, const std::uint32_t* kept,
                                          local_vertex_t u) {
  return (task.parent_word(u, kept) >> u % 32 & 1U) != 0;
}

// Returns, as bits, which of `entries` are parents, of those that have a bit in `looked_up`. All
// are asked for before the first is awaited. A condition would be a branch and a wait, so delegate
// 0 is asked for in place of the others.
template <typename Look, unsigned kCount>
__device__ __forceinline__ unsigned parents_among(const Look& task, const std::uint32_t* kept,
                                                  const local_vertex_t (&entries)[kCount],
                                                  unsigned looked_up) {
  std::uint32_t words[kCount];
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) {
    words[t] = task.parent_word((looked_up >> t & 1U) != 0 ? entries[t] : 0, kept);
  }
  unsigned hits = 0;
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) hits |= (words[t] >> entries[t] % 32 & 1U) << t;
  return hits & looked_up;
}

// Looks at the first entries of the candidates' rows. Each lane has the bits of one word of the
// turn, and looks for four adjacent vertices at once. Sets the bits of vertices that find a parent
// in `found`, and of those that do or have no other entry in `settled`. Both are in shared memory,
// [32], and 0 before.
template <typename Look>
__device__ __forceinline__ void look_at_first(const Look& task, const std::uint32_t* kept,
                                              const LookWords& turns, std::size_t turn,
                                              std::uint32_t candidates, std::uint32_t* found,
                                              std::uint32_t* settled) {
  constexpr unsigned kGroups = 2;  // of four words, asked for before the first is looked up
  constexpr unsigned kEach = 4;
  static_assert(LookWords::kStretch % (kGroups * kEach) == 0);
  const unsigned shift = lane_id() % 8 * kEach;
  for (unsigned i = 0; i < 32; i += kGroups * kEach) {
    unsigned open[kGroups];
    unsigned any = 0;
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      open[g] = __shfl_sync(kAllLanes, candidates, i + g * kEach + lane_id() / 8) >> shift & 0xFU;
      any |= open[g];
    }
    if (__any_sync(kAllLanes, any != 0) == 0) continue;
    const auto v =
        static_cast<local_vertex_t>(turns.word(turn, i) * 32 + std::size_t{lane_id()} * kEach);
    uint4 four[kGroups];
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      four[g] = open[g] != 0 ? *reinterpret_cast<const uint4*>(task.first + v + g * 128) : uint4{};
    }
    __syncwarp();  // keeps the compiler from looking one up before all are asked for
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      const FirstEntry u[kEach] = {{four[g].x}, {four[g].y}, {four[g].z}, {four[g].w}};
      const local_vertex_t entries[kEach] = {u[0].entry(), u[1].entry(), u[2].entry(),
                                             u[3].entry()};
      const unsigned hits = parents_among(task, kept, entries, open[g]);
      unsigned ended = 0;
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) ended |= (u[t].is_only() ? 1U : 0U) << t;
      if (!Look::notes_first() && task.keeps_parents()) {
#pragma unroll
        for (unsigned t = 0; t < kEach; ++t) {
          if ((hits >> t & 1U) != 0) task.found(v + g * 128 + t, entries[t]);
        }
      }
      const unsigned both = hits | (hits | ended) << 8;
      const unsigned next_lane = __shfl_down_sync(kAllLanes, both, 1);
      if (lane_id() % 2 == 0) {  // two lanes make a byte
        const unsigned bytes = both | next_lane << kEach;
        const unsigned at = (i + g * kEach) * 4 + lane_id() / 2;
        reinterpret_cast<std::uint8_t*>(found)[at] = static_cast<std::uint8_t>(bytes);
        reinterpret_cast<std::uint8_t*>(settled)[at] = static_cast<std::uint8_t>(bytes >> 8);
      }
    }
  }
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
  [[nodiscard]] __device__ uint4 of(const Graph& graph) const {
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
      entries[k] = four.of(graph);
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
    const int hit = __ffs(static_cast<int>(hits)) - 1;
    local_vertex_t parent = to[0];
#pragma unroll
    for (int j = 1; j < static_cast<int>(kFours * 4); ++j) parent = j == hit ? to[j] : parent;
    cuda::stress_pause();
    task.found(rest.vertex, parent);
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
  const std::uint32_t* const kept;
  const LookWords& turns;
  std::uint16_t* const places;  // places_of_warp(): the bits of the rows laid out
  std::uint32_t* const found;   // [32] bits of the turn's words, in shared memory
  unsigned long long& read;     // entries, by the thread

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
  // Begins the lane's rows base, base + 32, ... of `count`, each behind its `looked_at` first
  // entries. All are asked for before the first is awaited: past the last row, that one again.
  __device__ __forceinline__ void begin(std::size_t turn, std::uint32_t base, std::uint32_t count,
                                        unsigned looked_at, RestOfRow (&row)[kRows]) const {
    std::uint64_t ends[kRows];
#pragma unroll
    for (unsigned k = 0; k < kRows; ++k) {
      row[k].vertex = vertex_at(turn, min(base + 32 * k, count - 1));
      row[k].begin = graph.row_offsets[row[k].vertex];
      ends[k] = graph.row_offsets[row[k].vertex + std::size_t{1}];
    }
#pragma unroll
    for (unsigned k = 0; k < kRows; ++k) {
      row[k].begin += looked_at;
      row[k].left = base + 32 * k < count ? static_cast<std::uint32_t>(ends[k] - row[k].begin) : 0;
    }
  }
  // Each lane looks at up to kAlone entries of its rows.
  __device__ __forceinline__ void look_alone(std::uint32_t base, RestOfRow (&row)[kRows]) const {
    for (unsigned tried = 0; tried < kAlone; tried += kBatch) {
      uint4 entries[kRows];
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        entries[k] = FourEntries(row[k].begin, row[k].left).of(graph);
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
          local_vertex_t parent = to[0];
          const int first = __ffs(static_cast<int>(hits)) - 1;
#pragma unroll
          for (int j = 1; j < static_cast<int>(kBatch); ++j) parent = j == first ? to[j] : parent;
          hit(base + 32 * k, row[k].vertex, parent);
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
                                                RestOfRow* block_rows, unsigned& listed) const {
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
          place = atomicAdd(&listed, 1U);
          if (place < LookSpace::kMaxRows) block_rows[place] = rest;
        }
        if (__shfl_sync(kAllLanes, place, 0) < LookSpace::kMaxRows) continue;
      }
      for (std::uint32_t e = lane_id(); e < rest.left + lane_id(); e += 32) {
        const bool within = e < rest.left;
        const local_vertex_t to = within ? graph.columns[rest.begin + e] : 0;
        const unsigned hits = __ballot_sync(kAllLanes, within && is_parent(task, kept, to));
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
  // The warp looks through the `count` rows of a turn that are laid out, each behind its
  // `looked_at` first entries.
  template <typename Left>
  __device__ __forceinline__ void look(std::size_t turn, std::uint32_t count, unsigned looked_at,
                                       const Left& left_rows, RestOfRow* block_rows,
                                       unsigned& listed) const {
    for (std::uint32_t base = lane_id(); base < count + lane_id(); base += 32 * kRows) {
      RestOfRow row[kRows];
      begin(turn, base, count, looked_at, row);
      look_alone(base, row);
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        look_together(base, k, row[k], left_rows, block_rows, listed);
      }
    }
  }
};

// Lets the candidates of a task look for their parents in `graph`, whose candidates' bits have
// `words` words. `checked` counts the entries read. Called by all threads of a grid of blocks of
// kLookThreads, each of which has the frontier's bits (Look::keep_bits).
template <typename Graph, typename Look, typename Left>
__device__ void look_through(const Graph& graph, const Look& task, std::size_t words,
                             const Left& left_rows, unsigned long long* checked) {
  auto& [words_of_warps, rows, listed] = look_space();
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();

  std::uint16_t* const places = places_of_warp();
  std::uint32_t* const found = words_of_warps[threadIdx.x / 32];
  std::uint32_t* const settled = found + 32;
  unsigned long long read = 0;
  const LookWords turns = task.words_of(words);
  const std::uint32_t* const kept = task.kept_words();
  const unsigned looked_at = task.first != nullptr ? 1 : 0;  // entries of each row
  const WarpLook<Graph, Look> warp{.graph = graph,
                                   .task = task,
                                   .kept = kept,
                                   .turns = turns,
                                   .places = places,
                                   .found = found,
                                   .read = read};
  const auto words_of = [&](std::size_t turn) {
    const std::size_t at = turn < turns.turns ? turns.word(turn, lane_id()) : words;
    return at < words ? task.words_at(at) : CandidateWords{};
  };
  // Neighbouring turns go to different blocks. Each turn's words are asked for in the one before.
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
    if (looked_at != 0) {
      read += __popc(candidates);
      look_at_first(task, kept, turns, turn, candidates, found, settled);
      __syncwarp();
      if constexpr (Look::notes_first()) task.note_first(at, found[lane_id()]);
      candidates &= ~settled[lane_id()];
    }
    const std::uint32_t count = cuda::lay_out(candidates, places);
    __syncwarp();
    warp.look(turn, count, looked_at, left_rows, rows, listed);
    __syncwarp();  // before the warp's parts of shared memory are written again
    cuda::stress_pause();
    if (found[lane_id()] != 0) task.set_found(at, found[lane_id()]);
    __syncwarp();
  }

  __syncthreads();
  const unsigned all = min(listed, LookSpace::kMaxRows);
  for (unsigned i = 0; i < all; ++i) {
    look_along(graph, task, kept, rows[i], threadIdx.x, kLookThreads, read);
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
    look_along(graph, task, task.kept_words(), rest, cuda::thread_in_grid(),
               cuda::threads_in_grid(), read);
  }
  cuda::add_of_block(read, checked);
}

}  // namespace bfslab::distributed::delegate
