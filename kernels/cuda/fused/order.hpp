// SPDX-License-Identifier: Apache-2.0
// The limits and settings that decide how `fused` prepares a graph.
#pragma once

#include <algorithm>
#include <cstddef>

#include "datasets/graph/csr_graph.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/toggle.hpp"

namespace bfslab::cuda {

// If no vertex has more neighbours than this, ordering ids by degree gains no locality, and order =
// auto leaves them as they are.
inline constexpr edge_t kFewNeighbors = 32;

inline bool has_few_neighbors(const CsrGraph& graph) {
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (graph.degree(v) > kFewNeighbors) return false;
  }
  return true;
}

// Returns the mean degree of the vertices that edges lead to.
inline double mean_end_degree(const CsrGraph& graph) {
  double squares = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const auto degree = static_cast<double>(graph.degree(v));
    squares += degree * degree;
  }
  return squares / std::max(1.0, static_cast<double>(graph.edge_count()));
}

// The largest number of edges whose offsets have 32 bits, with room for those that a warp adds.
inline constexpr edge_t kNarrowEdges = (edge_t{1} << 32) - 1024;

// Returns whether a graph that fits is searched in shared memory (resident.hpp): resident = auto,
// and all settings without effect there are at their defaults.
bool fused_may_be_resident(const Toggles& toggles);
// Returns the number of blocks of a resident graph; 0: as the graph needs.
unsigned fused_resident_blocks(const Toggles& toggles);

// The maximum edges of a frontier whose neighbours are claimed and queued singly, not by a sweep.
inline constexpr edge_t kClaimedEdges = 262'144;

// The minimum edges of a frontier whose neighbours are not claimed although they may be, if their
// labels are left to bottom-up: a sweep that only sets bits is shorter then.
inline constexpr edge_t kLateEdges = 65'536;

// Searches that run together (batch.hpp): the levels whose words are kept, and the entries of a row
// that a lane looks at alone, bottom-up.
inline constexpr unsigned kBatchWindow = 8;
inline constexpr unsigned kBatchAlone = 256;

// Returns the bytes that searches together take beside the graph and their answers: words of
// levels, of what was seen and of levels' numbers, a queue, and segments of rows.
constexpr double batch_bytes(double vertices, double edges) {
  return (8 * (1 + kBatchWindow) + 32 + 4) * vertices + 8 * edges / kBatchAlone;
}

// Returns how many neighbours packed rows may have room for. If some vertex has many, levels soon
// outgrow the block or cluster that uses these rows. Graphs with 64-bit offsets have few kernels.
constexpr unsigned max_packed(bool few_neighbors, edge_t edges) {
  if (edges > kNarrowEdges) return 4;
  return few_neighbors ? 16 : 12;
}

// Returns how many neighbours a packed row has room for if there are `vertices` > 0: at most `max`,
// which is 4, 12 or 16; 0: rows are not packed.
constexpr unsigned packed_to(std::size_t vertices, edge_t edges, unsigned max) {
  const edge_t mean = edges / vertices;
  if (mean < 4) return 4;
  if (mean < 8) return max >= 12 ? 12 : 4;
  return mean < 16 && max >= 16 ? 16 : 0;
}

}  // namespace bfslab::cuda
