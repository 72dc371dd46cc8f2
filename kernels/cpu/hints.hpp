// SPDX-License-Identifier: Apache-2.0
// Hints: every vertex's in-neighbours of highest degree, gathered once at set-up, so that bottom-up
// need not open most rows. These neighbours are the likeliest to be in a frontier: on a Kronecker
// graph the first hint ends four of five searches. No vertex is renamed and no row is reordered.
//
// Cost: set-up reads every in-edge and 2 bytes per edge; holds 4 bytes per vertex and plane.
#pragma once

#include <cstdint>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/bitmap.hpp"

namespace bfslab::cpu {

class Hints {
 public:
  static constexpr unsigned kMaxPlanes = 4;

  Hints() = default;
  // `skip`: a bitmap of vertices without hints (no in-neighbours, and bits past the last vertex).
  Hints(const CsrGraph& incoming, const word_t* skip, unsigned planes, int threads);

  [[nodiscard]] unsigned planes() const { return planes_; }
  // Returns [n] in-neighbours of the (k+1)-th highest in-degree; a shorter row repeats its last.
  [[nodiscard]] const vertex_t* plane(unsigned k) const { return neighbor_.data() + k * vertices_; }
  // Returns the bits of word w whose whole row is among the hints.
  [[nodiscard]] word_t short_rows(std::size_t w) const { return short_rows_[w]; }
  [[nodiscard]] std::uint64_t bytes() const { return neighbor_.bytes() + short_rows_.bytes(); }

 private:
  unsigned planes_ = 0;
  std::size_t vertices_ = 0;
  Buffer<vertex_t> neighbor_;  // [planes][n]
  Buffer<word_t> short_rows_;
};

}  // namespace bfslab::cpu
