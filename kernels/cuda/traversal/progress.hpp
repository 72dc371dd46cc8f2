// SPDX-License-Identifier: Apache-2.0
// The state of a running traversal. The host, a CUDA graph and a kernel use the same struct, so
// that one rule serves all three drivers of levels.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// The state before `level` runs.
struct Progress {
  level_t level = 0;
  std::uint64_t frontier = 1;  // vertices
  std::uint64_t edges = 0;     // the frontier's out-degrees; 0 in engines that do not sum them
  std::uint64_t edges_before = 0;
  std::uint64_t all_edges = 0;  // of this frontier and of all before it
  std::uint64_t visited = 1;    // with the frontier; early finds count once their level comes
  bool was_bottom_up = false;   // the level before
  bool has_gone_up = false;     // any level before
  bool is_queued = true;        // the frontier is in the level's queue (xbfs)

  // Advances past a level that found `found` vertices with `found_edges` out-degrees.
  BFSLAB_HOST_DEVICE void advance(std::uint64_t found, std::uint64_t found_edges, bool up) {
    edges_before = edges;
    frontier = found;
    edges = found_edges;
    all_edges += found_edges;
    visited += found;
    was_bottom_up = up;
    has_gone_up = has_gone_up || up;
    ++level;
  }
};

}  // namespace bfslab::cuda
