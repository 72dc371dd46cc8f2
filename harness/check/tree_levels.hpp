// SPDX-License-Identifier: Apache-2.0
// The levels that a breadth-first tree implies, for engines that answer with parents alone.
#pragma once

#include <span>

#include "datasets/graph/types.hpp"

namespace bfslab {

// Writes every vertex's distance to `source` along `parents` (each below n, or kNoVertex; the
// source's is itself) into `levels` [n], kUnreached where there is no parent. Returns the
// smallest vertex from which following parents never ends at the source; kNoVertex if there is
// none. O(n) work per thread.
vertex_t tree_levels(std::span<const vertex_t> parents, vertex_t source, std::span<level_t> levels,
                     int threads);

}  // namespace bfslab
