// SPDX-License-Identifier: Apache-2.0
// From the ids of a file, which may have gaps, to 0 .. n-1 in the same order; and from the pieces
// that threads have parsed to a single list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/graph/edge_list.hpp"

namespace bfslab {

struct RawEdge {
  std::uint64_t from;
  std::uint64_t to;
};

// The edges of one block of text, in 32-bit ids where all of the block's fit.
struct EdgePiece {
  Buffer<Edge> narrow;
  Buffer<RawEdge> wide;
  [[nodiscard]] std::size_t size() const { return narrow.size() + wide.size(); }
};

// Consumes the pieces; each is freed as soon as it is copied, so that the edges are held once.
// `largest` is the largest id. Labels are kept unless the ids are 0 .. n-1 already. Throws
// InputError naming `file` when there are more vertices than 32 bits can number.
EdgeList renumber_densely(std::vector<EdgePiece> pieces, std::uint64_t largest,
                          const std::string& file, int threads);

// The same with ids as they are: all are below vertex_count, and so no piece is wide.
EdgeList gather(std::vector<EdgePiece> pieces, vertex_t vertex_count, int threads);

}  // namespace bfslab
