// SPDX-License-Identifier: Apache-2.0
// What decides how `fused` prepares a graph.
#pragma once

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// Where no vertex has more neighbours than this, ids by degree bring nothing together, and order =
// auto leaves them as they are.
inline constexpr edge_t kFewNeighbors = 32;

// Offsets of up to so many edges are kept in 32 bits, with room for those a warp adds.
inline constexpr edge_t kNarrowEdges = (edge_t{1} << 32) - 1024;

}  // namespace bfslab::cuda
