// SPDX-License-Identifier: Apache-2.0
// BottomUpWords: one thread of hybrid searches words of 64 vertices bottom-up.
//
// A word's unvisited vertices first try their hints (hints.hpp), without a branch on single
// vertices, since no predictor foresees whether a hint hits. Vertices that are still undecided open
// their rows, which are prefetched one word ahead. A word of the visited set and of the next
// frontier belongs to one thread, so only the answers are atomic.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/cpu/vertex_state.hpp"

namespace bfslab::cpu {

template <Answer A, bool Count>
struct BottomUpWords {
  const CsrGraph& graph;
  const edge_t* offsets;  // [n + 1] rows of in-neighbours
  const vertex_t* columns;
  const Hints& hints;
  const word_t* frontier;  // [n / 64]
  word_t* next;            // [n / 64]
  word_t* visited;         // [n / 64] with vertices that no edge enters, and the bits past n
  VertexState<A> answer;
  level_t found_level;
  bool counts_edges;  // sum the found vertices' out-degrees
  bool has_hints = hints.planes() > 0;

  // Begins word `w` and returns the vertices whose rows must be opened.
  [[gnu::always_inline]] word_t try_hints(std::size_t w, LevelTally& tally) {
    const std::size_t base = w * kWordBits;
    word_t todo = ~visited[w];
    word_t found = 0;
    for (unsigned k = 0; k < hints.planes() && todo != 0; ++k) {
      const vertex_t* hint = hints.plane(k) + base;
      word_t hits = 0;
      for_each_bit(todo, [&](vertex_t bit) { hits |= word_t{test(frontier, hint[bit])} << bit; });
      if constexpr (Count) {  // a short row's repeated hint is not another entry
        for_each_bit(todo, [&](vertex_t bit) {
          const edge_t* row = offsets + base + bit;
          tally.checked += row[1] - row[0] > k ? 1 : 0;
        });
      }
      for_each_bit(hits, [&](vertex_t bit) { answer.set(vertex(w, bit), hint[bit], found_level); });
      found |= hits;
      todo &= ~hits;
    }
    next[w] = found;
    return has_hints ? todo & ~hints.short_rows(w) : todo;
  }

  [[gnu::always_inline]] void prefetch_rows(std::size_t w, word_t vertices) const {
    for_each_bit(vertices,
                 [&](vertex_t bit) { __builtin_prefetch(columns + offsets[vertex(w, bit)]); });
  }
  // Opens the rows of the undecided vertices of word `w`, and ends the word.
  [[gnu::always_inline]] void open_rows(std::size_t w, word_t undecided, LevelTally& tally) {
    word_t found = next[w];
    for_each_bit(undecided, [&](vertex_t bit) {
      const vertex_t v = vertex(w, bit);
      const edge_t first = offsets[v];
      const edge_t end = offsets[v + std::size_t{1}];
      const edge_t e = find_in_frontier(first, end);
      if constexpr (Count) tally.checked += std::min(e + 1, end) - first;
      if (e == end) return;
      found |= word_t{1} << bit;
      answer.set(v, columns[e], found_level);
    });
    next[w] = found;
    visited[w] |= found;
    tally.found += static_cast<unsigned>(std::popcount(found));
    if (!counts_edges) return;
    for_each_bit(found, [&](vertex_t bit) { tally.found_edges += graph.degree(vertex(w, bit)); });
  }

  // Returns the first of the entries [e, end) that is in the frontier; `end` if none is. After the
  // hints, which are the likeliest, many rows are read to their end: eight entries at a time.
  // Without hints one of the first few entries is often the last one to read.
  [[nodiscard, gnu::always_inline]] edge_t find_in_frontier(edge_t e, edge_t end) const {
    for (; has_hints && e + 8 <= end; e += 8) {
      word_t hit = 0;
      for (unsigned i = 0; i < 8; ++i) {
        const vertex_t u = columns[e + i];
        hit |= frontier[u / kWordBits] >> (u % kWordBits);
      }
      if ((hit & 1) != 0) break;
    }
    while (e < end && !test(frontier, columns[e])) ++e;
    return e;
  }

  static vertex_t vertex(std::size_t w, vertex_t bit) {
    return static_cast<vertex_t>(w * kWordBits + bit);
  }
};

// Finds the parents of the vertices in words [first, last), first < last. `words` is a copy, so
// that loops hold it in registers.
template <Answer A, bool Count>
LevelTally search_words(BottomUpWords<A, Count> words, std::size_t first, std::size_t last) {
  LevelTally tally;
  word_t undecided = 0;  // vertices of the word before
  for (std::size_t w = first; w < last; ++w) {
    const word_t rest = words.try_hints(w, tally);
    words.prefetch_rows(w, rest);
    if (w > first) words.open_rows(w - 1, undecided, tally);
    undecided = rest;
  }
  words.open_rows(last - 1, undecided, tally);
  return tally;
}

}  // namespace bfslab::cpu
