// SPDX-License-Identifier: Apache-2.0
// What decides how `fused` prepares a graph.
#pragma once

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// Where no vertex has more neighbours than this, ids by degree bring nothing together, and order =
// auto leaves them as they are.
inline constexpr edge_t kFewNeighbors = 32;

// A cluster of blocks begins in graphs whose rows are all at most this long, of which one in
// kLongRowOf is not packed at most.
inline constexpr edge_t kNoHub = 512;
inline constexpr vertex_t kLongRowOf = 64;

// How long rows are: the longest, and how many have up to 4, 8, 16 and 32 entries. Of graphs with a
// row of more than kNoHub only that one is known.
struct RowLengths {
  vertex_t rows = 0;
  edge_t entries = 0;
  edge_t longest = 0;
  vertex_t up_to[4] = {};

  // Entries that a packed row has room for, where a cluster begins; else 0: graphs of few
  // neighbours, whose levels are as a rule many and small.
  [[nodiscard]] unsigned packed_entries() const {
    constexpr vertex_t kFewVertices = 1U << 18;
    if (rows == 0 || longest > kNoHub) return 0;
    const bool is_sparse = entries / rows < 8 || longest <= kFewNeighbors;
    if (!is_sparse && (rows > kFewVertices || longest > 2 * kFewNeighbors)) return 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (rows - up_to[i] <= rows / kLongRowOf) return 4U << i;
    }
    return 0;
  }
};

// Offsets of up to so many edges are kept in 32 bits, with room for those a warp adds.
inline constexpr edge_t kNarrowEdges = (edge_t{1} << 32) - 1024;

}  // namespace bfslab::cuda
