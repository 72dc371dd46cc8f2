// SPDX-License-Identifier: Apache-2.0
// Bottom-up by first neighbours: an unvisited vertex looks at the first entry of its row before
// anything else. These entries lie in a separate array and are read in the order of ids. Most
// vertices need no more, since a row's first neighbour is a hub where ids are ordered by degree.
//
//   first   four adjacent vertices per lane, 256 per warp at once: all their entries are
//           requested before the first is looked up
//   misses  the vertices that miss are collected in the order of ids and go on 32 at a time: each
//           lane looks at up to kAlone entries of one row, then the warp at one row after the other
//
// Sets of vertices are bits. A warp takes a turn of up to 32 words, one per lane, so that each
// vertex belongs to one warp and is found without a claim.
//
// Cost: per vertex two bits read and two written; per unvisited vertex 4 bytes, in order, and one
// random bit of the frontier; per miss the two offsets of its row; per further entry 4 bytes and a
// bit. Wins where most of the unvisited are next to the frontier; where few are, the misses pay for
// the first look and for a look at the row.
//
// An engine's Look says what it looks at and what becomes of a vertex:
//
// clang-format off
//   Offset, first(), columns()         type of row offsets; array of first entries, read four at
//                                      a time; entries of all rows
//   kReadsClosed, kPutsAside           whether closed vertices are looked up, too; whether it has
//                                      misses() and put_aside()
//   first_word_of(entry, is_open)      the word of the frontier's bits that has a first entry's bit
//   word_of(u)                         the same for any other neighbour
//   found_first(v, on, four, open, hits)
//                                      labels those of the vertices v + on, ... v + on + 3, of the
//                                      entries `four`, that `hits` names; returns what keep() gets
//   found(v, parent)                   labels a vertex that missed at first
//   with_more(w, missed)               those of word w's bits that have a second neighbour
//   rows_of(first, words)              the Rows of a turn, once per turn with misses
//   misses()                           how often a warp looks at 32 entries in vain per 32 vertices
//   put_aside(v, next, end)            takes what the lanes then have left of their rows
//   count(entries)                     counts the entries that were read
// clang-format on
//
// Example: a warp's turn begins at word 2, and lane 0 has the word ~0b0110, so that only vertices
// 65 and 66 are open. Their first neighbours are 7 and 9, and the frontier is {9}. Lane 0 reads the
// entries of 64 to 67 at once; found_first(64, 0, {.., 7, 9, ..}, 0b0110, 0b0100) labels 66. Vertex
// 65 misses, and run_turn() goes on with the second entry of its row.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

struct FirstNeighbors {
  static constexpr unsigned kEach = 4;    // adjacent vertices per lane
  static constexpr unsigned kGroups = 2;  // of 32 * kEach vertices, read at once
  static constexpr unsigned kAlone = 16;  // entries of a row that a lane looks at after the first

  // Memory that the lanes of a warp share.
  struct WarpMemory {
    vertex_t pending[31 + 32];  // vertices that missed
    std::uint32_t found[32];    // bits of the turn's words
  };

  // The places of rows: by their offsets or, if all are `degree` long, from shift + v * degree on.
  template <typename Offset>
  struct Rows {
    const Offset* offsets;
    unsigned degree = 0;  // 0: they differ, or it is not known
    Offset shift = 0;

    [[nodiscard]] __device__ __forceinline__ Offset begin(vertex_t v) const {
      return degree != 0 ? shift + Offset{v} * degree : offsets[v];
    }
    [[nodiscard]] __device__ __forceinline__ Offset end(vertex_t v, Offset begin) const {
      return degree != 0 ? begin + degree : offsets[v + std::size_t{1}];
    }
  };

  // Looks up the first entries of those vertices of a turn of `words` words whose bits in `closed`,
  // a word per lane, are clear. vertex_at(j) is the first vertex of word j; eight words from a
  // multiple of eight on are consecutive. keep(i, bits) gets the results of found_first() for byte
  // i of the turn: in its lowest eight bits the lowest four of two lanes, and above these the bits
  // above. Called by all lanes.
  template <typename Look, typename VertexAt, typename Keep>
  __device__ __forceinline__ static void look_at_first(Look& look, std::uint32_t closed,
                                                       unsigned words, VertexAt vertex_at,
                                                       Keep keep) {
    constexpr unsigned kLanes = 32 / kEach;             // lanes that share a word of bits
    const unsigned shift = lane_id() % kLanes * kEach;  // of the lane's bits in their word
    for (unsigned j = 0; j < words; j += kGroups * kEach) {
      unsigned open[kGroups];
      unsigned any = 0;
#pragma unroll
      for (unsigned g = 0; g < kGroups; ++g) {
        const unsigned from = j + g * kEach + lane_id() / kLanes;
        open[g] = ~(__shfl_sync(kAllLanes, closed, from) >> shift) & 0xFU;
        any |= open[g];
      }
      if (__any_sync(kAllLanes, any != 0) == 0) continue;
      unsigned kept[kGroups];
      look_at_groups(look, vertex_at(j) + lane_id() * kEach, open, kept);
#pragma unroll
      for (unsigned g = 0; g < kGroups; ++g) {  // two lanes make a byte
        const unsigned of_next = __shfl_down_sync(kAllLanes, kept[g], 1);
        if (lane_id() % 2 == 0)
          keep((j + g * kEach) * 4 + lane_id() / 2, kept[g] | of_next << kEach);
      }
    }
  }

  // Looks for parents of the open vertices of a turn of `words` consecutive words from `first` on.
  // `closed` has the lane's word of bits; a closed vertex needs no parent, and an open one has a
  // neighbour. Returns the found bits of the lane's word. Called by all lanes.
  template <typename Look>
  __device__ __forceinline__ static std::uint32_t run_turn(Look& look, WarpMemory& memory,
                                                           std::uint32_t first, unsigned words,
                                                           std::uint32_t closed) {
    if (__any_sync(kAllLanes, closed != ~0U) == 0) return 0;
    memory.found[lane_id()] = 0;
    __syncwarp();
    auto* const found_of_two = reinterpret_cast<std::uint8_t*>(memory.found);
    look_at_first(
        look, closed, words, [&](unsigned j) { return (first + j) * 32; },
        [&](unsigned i, unsigned bits) { found_of_two[i] = static_cast<std::uint8_t>(bits); });
    __syncwarp();
    const std::uint32_t missed =
        look.with_more(first + lane_id(), ~(closed | memory.found[lane_id()]));
    const unsigned with_misses = __ballot_sync(kAllLanes, missed != 0);
    if (with_misses != 0) look_on(look, memory, first, words, missed, with_misses);
    const std::uint32_t found = memory.found[lane_id()];
    __syncwarp();  // before found is cleared again
    return found;
  }

 private:
  // The first entries of v, ... v + 3, and of as many 128 on for each further group. `kept` becomes
  // what found_first() returns.
  template <typename Look>
  __device__ __forceinline__ static void look_at_groups(Look& look, vertex_t v,
                                                        const unsigned (&open)[kGroups],
                                                        unsigned (&kept)[kGroups]) {
    constexpr unsigned kOn = 32 * kEach;
    const auto* const first = look.first() + v;
    uint4 four[kGroups];
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      four[g] = open[g] != 0 ? *reinterpret_cast<const uint4*>(first + g * kOn) : uint4{};
      look.count(__popc(open[g]));
    }
    __syncwarp();  // keeps compilers from looking up the first before all are requested
    std::uint32_t word[kGroups][kEach];
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      const vertex_t entry[kEach] = {four[g].x, four[g].y, four[g].z, four[g].w};
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        word[g][t] = look.first_word_of(entry[t], (open[g] >> t & 1U) != 0);
      }
    }
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      const vertex_t entry[kEach] = {four[g].x, four[g].y, four[g].z, four[g].w};
      unsigned hits = 0;
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) hits |= (word[g][t] >> entry[t] % 32 & 1U) << t;
      if constexpr (Look::kReadsClosed) hits &= open[g];
      kept[g] = look.found_first(v, g * kOn, four[g], open[g], hits);
    }
  }

  // Goes on with the vertices of the turn that missed, as the lanes' bits in `missed` say. It takes
  // them in the order of ids, so that rows looked at together lie together.
  template <typename Look>
  __device__ __forceinline__ static void look_on(Look& look, WarpMemory& memory,
                                                 std::uint32_t first, unsigned words,
                                                 std::uint32_t missed, unsigned with_misses) {
    const Rows<typename Look::Offset> rows = look.rows_of(first, words);
    std::uint32_t pending = 0;
    do {
      while (pending < 32 && with_misses != 0) {
        const int i = __ffs(static_cast<int>(with_misses)) - 1;
        with_misses &= with_misses - 1;
        const std::uint32_t word = __shfl_sync(kAllLanes, missed, i);
        if ((word >> lane_id() & 1U) != 0) {
          memory.pending[pending + __popc(word & lanes_below())] = (first + i) * 32 + lane_id();
        }
        pending += __popc(word);
      }
      __syncwarp();
      const std::uint32_t now = min(pending, 32U);
      pending -= now;
      look_along(look, rows, lane_id() < now ? memory.pending[pending + lane_id()] : kNoVertex,
                 [&](vertex_t v, vertex_t parent) {
                   look.found(v, parent);
                   atomicOr(memory.found + (v / 32 - first), 1U << v % 32);
                 });
      __syncwarp();
    } while (pending > 0 || with_misses != 0);
  }

  // Looks at the rest of one row per lane; kNoVertex for none. Called by all lanes.
  template <typename Look, typename Offset, typename Found>
  __device__ __forceinline__ static void look_along(Look& look, const Rows<Offset>& rows,
                                                    vertex_t v, Found found) {
    Offset next = 0;
    Offset end = 0;
    if (v != kNoVertex) {
      next = rows.begin(v);
      end = rows.end(v, next);
      ++next;
    }
    look_by_lanes(look, v, next, end, found);
    look_by_warp(look, v, next, end, found);
    if constexpr (Look::kPutsAside) {
      if (__any_sync(kAllLanes, next < end) != 0) look.put_aside(v, next, end);
    }
  }

  // Each lane looks at one row. [next, end) becomes the rest of it, empty for a found vertex.
  template <typename Look, typename Offset, typename Found>
  __device__ __forceinline__ static void look_by_lanes(Look& look, vertex_t v, Offset& next,
                                                       Offset& end, Found found) {
    constexpr unsigned kAtOnce = 4;
    unsigned alone = static_cast<unsigned>(min(Offset{end - next}, Offset{kAlone}));
    while (__any_sync(kAllLanes, alone > 0) != 0) {
      const unsigned now = min(alone, unsigned{kAtOnce});
      const vertex_t* const row = look.columns() + next;
      vertex_t one[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) one[t] = t < now ? row[t] : kNoVertex;
      look.count(now);
      __syncwarp();  // as above
      std::uint32_t word[kAtOnce];
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) word[t] = t < now ? look.word_of(one[t]) : 0;
      vertex_t parent = kNoVertex;
#pragma unroll
      for (unsigned t = 0; t < kAtOnce; ++t) {
        if ((word[t] >> one[t] % 32 & 1U) != 0) parent = one[t];
      }
      next += now;
      alone -= now;
      if (parent != kNoVertex) {
        found(v, parent);
        end = next = 0;
        alone = 0;
      }
    }
  }

  // The warp one row after the other, until it has missed look.misses() times if it puts aside.
  template <typename Look, typename Offset, typename Found>
  __device__ __forceinline__ static void look_by_warp(Look& look, vertex_t v, Offset& next,
                                                      Offset& end, Found found) {
    unsigned left = __ballot_sync(kAllLanes, next < end);
    unsigned misses = 1;
    if constexpr (Look::kPutsAside) misses = look.misses();
    for (; left != 0 && misses > 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const vertex_t vertex = __shfl_sync(kAllLanes, v, owner);
      Offset at = __shfl_sync(kAllLanes, next, owner);
      const Offset row_end = __shfl_sync(kAllLanes, end, owner);
      for (; at < row_end && misses > 0; at += 32) {
        const bool within = at + lane_id() < row_end;
        const vertex_t u = within ? look.columns()[at + lane_id()] : 0;
        look.count(within ? 1 : 0);
        const unsigned hits =
            __ballot_sync(kAllLanes, within && (look.word_of(u) >> u % 32 & 1U) != 0);
        if (hits == 0) {
          if constexpr (Look::kPutsAside) --misses;
          continue;
        }
        if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(hits)) - 1) found(vertex, u);
        at = row_end;
        break;
      }
      if (at >= row_end && static_cast<int>(lane_id()) == owner) next = end;
      __syncwarp();
    }
  }
};

}  // namespace bfslab::cuda
