// SPDX-License-Identifier: Apache-2.0
// ExploreFrontier() of one member (graph500-romeo, Algorithm 3, line 7, and Algorithm 4): from the
// bitmap of its column's frontier to that of the vertices of its row's range that it finds.
//
// A word of a bitmap is what a warp takes in Algorithm 4. Here a thread takes one after the other:
// an empty word costs a comparison; of another, all rows are announced to the cache before the
// first of them is read. Whether a vertex is a find cannot be foreseen, so nothing branches on it
// while edges are looked at. Both return the number of edges that they looked at.
//
// Cost: top-down, a word of `in` per 64 vertices of the column's range, 8 or 16 bytes of offsets
// for each that is in the frontier, and 4 bytes and a random bit for each of its edges. Bottom-up,
// two words per 64 vertices of the row's range, the first edge's 4 bytes and a random bit of `in`
// for each that is not visited, and where that edge does not lead to the frontier, offsets, and 4
// bytes and a bit for each edge until one does.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/engines/grid2d/rows.hpp"

namespace bfslab::distributed::grid2d {

// By the CSR. Where a vertex is found, its tail goes to `parents`.
template <bool Parents, typename Offset>
std::uint64_t explore_top_down(const Rows<Offset>& csr, std::span<const word_t> in,
                               std::span<word_t> visited, std::span<word_t> out,
                               std::span<local_t> parents) {
  constexpr std::size_t kBatch = 256;  // finds that wait for their parent to be written
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

// By the CSC. `first`: the first entry of each row; `without`: vertices without a row.
template <bool Parents, typename Offset>
std::uint64_t explore_bottom_up(const Rows<Offset>& csc, std::span<const local_t> first,
                                std::span<const word_t> without, const word_t* in,
                                std::span<const word_t> visited, std::span<word_t> out,
                                std::span<local_t> parents) {
  std::uint64_t checked = 0;
  // The rest of the rows of a word.
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
  word_t before = 0;  // of the word before this one: its rows have been announced
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
