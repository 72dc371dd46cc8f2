// What xbfs decides before a level, by papers/xbfs.txt section 4.3 and Figure 7: the same function
// on the host, where the host drives the levels, and on the GPU, where it does.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// Of a running traversal, before `level` runs.
struct XbfsProgress {
  level_t level = 0;
  std::uint64_t frontier = 1;
  std::uint64_t edges = 0;  // the frontier's out-degrees
  std::uint64_t edges_before = 0;
  std::uint64_t all_edges = 0;  // of this frontier and all before
  std::uint64_t visited = 1;    // early finds are not, until their level comes
  bool was_bottom_up = false;

  // What the level that just ran has found.
  BFSLAB_HOST_DEVICE void advance(std::uint64_t found, std::uint64_t found_edges, bool up) {
    edges_before = edges;
    frontier = found;
    edges = found_edges;
    all_edges += found_edges;
    visited += found;
    was_bottom_up = up;
    ++level;
  }
};

struct XbfsRules {
  bool scan_free = true;
  bool single_scan = true;
  bool no_generation = true;
  bool double_scan = true;
  bool async = true;
  bool cumulative = false;
  double enough_edges = 0;  // alpha |E|

  BFSLAB_HOST_DEVICE bool goes_up(const XbfsProgress& at) const {
    return static_cast<double>(cumulative ? at.all_edges : at.edges) >= enough_edges;
  }

  // Equation 2. The first level has no ratio.
  BFSLAB_HOST_DEVICE bool comes_before_bottom_up(const XbfsProgress& at) const {
    if (at.edges_before == 0) return false;
    const auto edges = static_cast<double>(at.edges);
    const double next = edges * (edges / static_cast<double>(at.edges_before));
    return next + (cumulative ? static_cast<double>(at.all_edges) : 0.0) >= enough_edges;
  }

  // Of a top-down level: whether its frontier is the bottom-up queue, unfiltered.
  BFSLAB_HOST_DEVICE bool takes_bottom_up_queue(const XbfsProgress& at) const {
    return at.was_bottom_up && no_generation;
  }
  // Whether its frontier must be gathered first.
  BFSLAB_HOST_DEVICE bool gathers_frontier(const XbfsProgress& at) const {
    return at.was_bottom_up && !no_generation;
  }
  // Whether it is followed by a single scan or, as the alternative, by a prefix sum or nothing.
  BFSLAB_HOST_DEVICE bool single_scans(const XbfsProgress& at) const {
    return single_scan && !takes_bottom_up_queue(at) && comes_before_bottom_up(at);
  }
  BFSLAB_HOST_DEVICE bool queues_while_expanding(const XbfsProgress& at) const {
    return scan_free && (takes_bottom_up_queue(at) || !comes_before_bottom_up(at));
  }
};

}  // namespace bfslab::cuda
