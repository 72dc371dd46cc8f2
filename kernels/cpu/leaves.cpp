// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/leaves.hpp"

#include <bit>

namespace bfslab::cpu {

namespace {

bool is_leaf(const CsrGraph& graph, const CsrGraph& incoming, vertex_t v) {
  if (incoming.degree(v) != 1 || graph.degree(v) > 1) return false;
  const vertex_t neighbor = incoming.neighbors(v)[0];
  if (neighbor == v) return false;
  if (graph.degree(v) == 1 && graph.neighbors(v)[0] != neighbor) return false;
  // A neighbour that only v leads to may be a leaf itself, and one that no edge enters counts as
  // visited in every search.
  const auto before = incoming.neighbors(neighbor);
  return before.size() > 1 || (before.size() == 1 && before[0] != v);
}

}  // namespace

Buffer<word_t> without_in_edges(std::size_t vertices, const CsrGraph* incoming, int threads) {
  Buffer<word_t> bits(word_count(vertices));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t w = 0; w < bits.size(); ++w) {
    word_t none = 0;
    for (vertex_t bit = 0; bit < kWordBits; ++bit) {
      const std::size_t v = w * kWordBits + bit;
      const bool enters =
          v < vertices && (incoming == nullptr || incoming->degree(static_cast<vertex_t>(v)) > 0);
      if (!enters) none |= word_t{1} << bit;
    }
    bits[w] = none;
  }
  return bits;
}

Leaves::Leaves(const CsrGraph& graph, const CsrGraph& incoming, int threads)
    : bits_(word_count(graph.vertex_count())),
      first_(bits_.size()),
      neighbor_(graph.vertex_count()) {
  const std::size_t n = graph.vertex_count();
  std::uint64_t edges = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) reduction(+ : edges)
  for (std::size_t w = 0; w < bits_.size(); ++w) {
    word_t leaves = 0;
    for (std::size_t v = w * kWordBits; v < n && v < (w + 1) * kWordBits; ++v) {
      const auto leaf = static_cast<vertex_t>(v);
      if (!is_leaf(graph, incoming, leaf)) continue;
      leaves |= bit_of(leaf);
      edges += graph.degree(leaf);
    }
    bits_[w] = leaves;
  }
  edges_ = edges;
  for (std::size_t w = 0; w < bits_.size(); ++w) {
    first_[w] = count_;
    count_ += static_cast<vertex_t>(std::popcount(bits_[w]));
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
  for (std::size_t w = 0; w < bits_.size(); ++w) {
    vertex_t* neighbor = neighbor_.data() + first_[w];
    for_each_bit(bits_[w], [&](vertex_t bit) {
      *neighbor++ = incoming.neighbors(static_cast<vertex_t>(w * kWordBits + bit))[0];
    });
  }
}

}  // namespace bfslab::cpu
