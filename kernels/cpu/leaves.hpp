// SPDX-License-Identifier: Apache-2.0
// Leaves: the vertices that a search may leave out, since no path leads through them. Their levels
// and parents follow from their only neighbours when all other vertices are found.
//
// A leaf has one in-neighbour, which is another vertex, and no edge to a third one. Another edge
// enters that neighbour, which is never a leaf. In a symmetric graph the leaves are the vertices of
// degree 1, except pairs. Example: in the path 0-1-2 the leaves are 0 and 2, both with the
// neighbour 1; the path 0-1 and a vertex with a loop have none.
//
// Cost: set-up reads the offsets, and two rows for each vertex of one in-neighbour. Reserves 4
// bytes per vertex and 12 per 64 vertices; per leaf, a search reads 4 bytes and the neighbour's
// status, and writes an answer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/vertex_state.hpp"

namespace bfslab::cpu {

// Returns the bits of the vertices that no edge enters, and those past the last vertex. Without
// the transpose (null) every vertex may be entered.
Buffer<word_t> without_in_edges(std::size_t vertices, const CsrGraph* incoming, int threads);

class Leaves {
 public:
  static constexpr vertex_t kSerial = 4096;  // fewer are not worth a team

  Leaves() = default;
  // `incoming`: the graph's transpose; the graph itself if it is symmetric.
  Leaves(const CsrGraph& graph, const CsrGraph& incoming, int threads);

  [[nodiscard]] vertex_t count() const { return count_; }
  // Returns the sum of the leaves' out-degrees.
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  // Returns the leaves of word w of a bitmap.
  [[nodiscard]] word_t word(std::size_t w) const { return bits_[w]; }
  // Labels the leaves of word w, except `source`, from the answers of their neighbours, as
  // unreached where reached(neighbour) is false. Writes no answers of other vertices.
  template <Answer A, typename Reached>
  void label(std::size_t w, vertex_t source, const VertexState<A>& answer,
             Reached&& reached) const {
    const vertex_t* neighbors = neighbor_.data() + first_[w];
    for_each_bit(bits_[w], [&](vertex_t bit) {
      const auto leaf = static_cast<vertex_t>(w * kWordBits + bit);
      const vertex_t neighbor = *neighbors++;
      if (leaf == source) return;
      if (!reached(neighbor)) return answer.set(leaf, kNoVertex, kUnreached);
      level_t level = 0;
      if constexpr (A != Answer::parents) level = answer.level(neighbor) + 1;
      answer.set(leaf, neighbor, level);
    });
  }

  [[nodiscard]] std::uint64_t bytes() const {
    return bits_.bytes() + first_.bytes() + neighbor_.bytes();
  }
  // Returns the same before the graph is loaded.
  static constexpr double bytes_for(double vertices) {
    return vertices * (sizeof(vertex_t) + (sizeof(word_t) + sizeof(vertex_t)) / double{kWordBits});
  }

 private:
  Buffer<word_t> bits_;        // [n / 64]
  Buffer<vertex_t> first_;     // [n / 64] leaves in the words before
  Buffer<vertex_t> neighbor_;  // [n] those of the leaves, in the order of the leaves' ids
  vertex_t count_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace bfslab::cpu
