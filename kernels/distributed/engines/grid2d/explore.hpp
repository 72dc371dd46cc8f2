// SPDX-License-Identifier: Apache-2.0
// ExploreFrontier() of one member (graph500-romeo, Algorithm 3, line 7, and Algorithm 4): reads the
// frontier bitmap of the column's range and sets the bitmap of vertices found in the row's range.
//
// Where Algorithm 4 gives each word of the bitmap to a warp, here one thread takes the words in
// turn. An empty word costs one comparison; for any other the thread prefetches all rows before it
// reads the first. Finds are unpredictable, so no branch depends on them while edges are read. Both
// functions return the number of edges that they read.
//
// Cost: top-down, one word of `in` per 64 vertices of the column's range, 8 or 16 bytes of offsets
// per frontier vertex, and 4 bytes and a random bit per edge of these. Bottom-up, two words per 64
// vertices of the row's range, and per unvisited vertex 4 bytes of its first edge and a random bit
// of `in`. If that edge does not lead to the frontier: offsets, and 4 bytes and a bit per edge
// until one does.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/engines/grid2d/rows.hpp"

namespace bfslab::distributed::grid2d {

// Explores by the CSR and writes the tail of each found vertex to `parents`.
template <bool Parents, typename Offset>
std::uint64_t explore_top_down(const Rows<Offset>& csr, std::span<const word_t> in,
                               std::span<word_t> visited, std::span<word_t> out,
                               std::span<local_t> parents) {
  constexpr std::size_t kBatch = 256;  // maximum finds whose parents are written together
  std::uint64_t checked = 0;
  std::ranges::copy(visited, out.begin());
  std::array<local_t, kWordBits> tails;
  std::array<local_t, kBatch> finds;
  for (std::size_t w = 0; w < in.size(); ++w) {
    if (in[w] == 0) continue;
    std::size_t count = 0;
    for_each_bit(in[w], [&](vertex_t bit) {
      const auto u = static_cast<local_t>(w * kWordBits + bit);
      __builtin_prefetch(csr.entries.data() + csr.offsets[u]);
      tails[count++] = u;
    });
    for (std::size_t i = 0; i < count; ++i) {
      std::span<const local_t> row = csr[tails[i]];
      checked += row.size();
      while (!row.empty()) {
        const std::span<const local_t> some = row.first(std::min(row.size(), kBatch));
        row = row.subspan(some.size());
        std::size_t found = 0;
        for (const local_t v : some) {
          word_t& word = visited[v / kWordBits];
          if constexpr (Parents) {
            finds[found] = v;
            found += (word & bit_of(v)) == 0 ? 1 : 0;
          }
          word |= bit_of(v);
        }
        for (std::size_t k = 0; k < found; ++k) parents[finds[k]] = tails[i];
      }
    }
  }
  for (std::size_t w = 0; w < out.size(); ++w) out[w] = visited[w] & ~out[w];
  return checked;
}

// Explores by the CSC. `first` has the first entry of each row, `without` the empty rows.
template <bool Parents, typename Offset>
std::uint64_t explore_bottom_up(const Rows<Offset>& csc, std::span<const local_t> first,
                                std::span<const word_t> without, const word_t* in,
                                std::span<const word_t> visited, std::span<word_t> out,
                                std::span<local_t> parents) {
  std::uint64_t checked = 0;
  // Reads the remaining entries of the rows in `todo`, a part of word w.
  const auto look = [&](std::size_t w, word_t todo) {
    for_each_bit(todo, [&](vertex_t bit) {
      const std::size_t v = w * kWordBits + bit;
      const std::span<const local_t> row = csc[v];
      std::size_t at = 1;
      while (at < row.size() && !test(in, row[at])) ++at;
      checked += std::min(at + 1, row.size()) - 1;
      if (at == row.size()) return;
      out[w] |= word_t{1} << bit;
      if constexpr (Parents) parents[v] = row[at];
    });
  };
  word_t before = 0;  // rows of the previous word, which are prefetched
  for (std::size_t w = 0; w < out.size(); ++w) {
    const std::size_t base = w * kWordBits;
    const word_t todo = ~(visited[w] | without[w]);
    word_t found = 0;
    for_each_bit(todo, [&](vertex_t bit) { found |= word_t{test(in, first[base + bit])} << bit; });
    checked += static_cast<unsigned>(std::popcount(todo));
    out[w] = found;
    if constexpr (Parents) {
      for_each_bit(found, [&](vertex_t bit) { parents[base + bit] = first[base + bit]; });
    }
    const word_t rest = todo & ~found;
    for_each_bit(rest, [&](vertex_t bit) {
      __builtin_prefetch(csc.entries.data() + csc.offsets[base + bit]);
    });
    if (w > 0) look(w - 1, before);
    before = rest;
  }
  look(out.size() - 1, before);
  return checked;
}

}  // namespace bfslab::distributed::grid2d
