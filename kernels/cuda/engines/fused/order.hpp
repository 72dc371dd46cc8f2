// SPDX-License-Identifier: Apache-2.0
// What decides how `fused` prepares a graph.
#pragma once

#include <cstddef>

#include "datasets/graph/types.hpp"
#include "kernels/toggle.hpp"

namespace bfslab::cuda {

// Where no vertex has more neighbours than this, ids by degree bring nothing together, and order =
// auto leaves them as they are.
inline constexpr edge_t kFewNeighbors = 32;

// Offsets of up to so many edges are kept in 32 bits, with room for those a warp adds.
inline constexpr edge_t kNarrowEdges = (edge_t{1} << 32) - 1024;

// Whether a graph that fits is searched in shared memory (resident.hpp): resident = auto, and no
// setting says otherwise that would have no effect there.
bool fused_may_be_resident(const Toggles& toggles);
// Of how many blocks; 0: as the graph needs.
unsigned fused_resident_blocks(const Toggles& toggles);

// The neighbours of a frontier of at most so many edges are claimed and queued one by one, rather
// than by a sweep.
inline constexpr edge_t kClaimedEdges = 262'144;

// Neighbours that packed rows may have room for: where some vertex has many, levels soon grow
// beyond one block or cluster, whose rows these are. Graphs of offsets of 64 bits have few kernels.
constexpr unsigned most_packed(bool few_neighbors, edge_t edges) {
  if (edges > kNarrowEdges) return 4;
  return few_neighbors ? 16 : 12;
}

// Neighbours that a packed row has room for where there are `vertices` > 0, `most` at most, which
// is 4, 12 or 16; 0: rows are not packed.
constexpr unsigned packed_to(std::size_t vertices, edge_t edges, unsigned most) {
  const edge_t mean = edges / vertices;
  if (mean < 4) return 4;
  if (mean < 8) return most >= 12 ? 12 : 4;
  return mean < 16 && most >= 16 ? 16 : 0;
}

}  // namespace bfslab::cuda
