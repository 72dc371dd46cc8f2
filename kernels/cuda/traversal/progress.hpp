// SPDX-License-Identifier: Apache-2.0
// Where a running traversal is: the same struct for the host, a CUDA graph and a kernel, whichever
// drives the levels, so that one rule serves all three.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// Before `level` runs.
struct Progress {
  level_t level = 0;
  std::uint64_t frontier = 1;  // vertices
  std::uint64_t edges = 0;     // the frontier's out-degrees; 0 in engines that do not sum them
  std::uint64_t edges_before = 0;
  std::uint64_t all_edges = 0;  // of this frontier and of all before it
  std::uint64_t visited = 1;    // the frontier included; early finds not before their level comes
  bool was_bottom_up = false;   // the level before
  bool has_gone_up = false;     // any level before
  bool is_queued = true;        // whether the frontier stands in the level's queue: xbfs

  // The level that has just run found `found` vertices with `found_edges` out-degrees.
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
