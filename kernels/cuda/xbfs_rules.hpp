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

// How a level runs, in the order in which it does.
struct XbfsLevel {
  bool up = false;  // bottom-up: the rest is of top-down levels

  bool streams = false;                 // its frontier by decentralized queues: nothing else
  bool takes_bottom_up_queue = false;   // its frontier is the bottom-up queue, unfiltered
  bool gathers = false;                 // its frontier must be gathered by a prefix sum
  bool queues_early = false;            // what bottom-up found early enters the next queue
  bool queues_while_expanding = false;  // as does what it finds
  bool single_scans = false;            // a single scan gathers it behind; else a prefix sum does

  // Whether a scan has counted what was found, early finds among it.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool counts_by_scan() const {
    return !up && !streams && !queues_while_expanding;
  }
};

struct XbfsRules {
  bool scan_free = true;
  bool single_scan = true;
  bool no_generation = true;
  bool double_scan = true;
  bool decentralized = false;
  bool async = true;
  bool cumulative = false;
  double enough_edges = 0;  // alpha |E|

  // All that levels differ in, as a number below kKinds.
  static constexpr unsigned kKinds = 5;
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned kind(const XbfsProgress& at) const {
    if (goes_up(at)) return 0;
    return 1 + (at.was_bottom_up ? 2 : 0) + (comes_before_bottom_up(at) ? 1 : 0);
  }

  [[nodiscard]] BFSLAB_HOST_DEVICE XbfsLevel level_of(unsigned kind) const {
    XbfsLevel level;
    level.up = kind == 0;
    level.streams = decentralized && !level.up;
    if (level.up || level.streams) return level;
    const bool behind = (kind - 1) / 2 != 0;
    const bool before = (kind - 1) % 2 != 0;
    level.takes_bottom_up_queue = behind && no_generation;
    level.gathers = behind && !no_generation;
    level.queues_while_expanding = scan_free && (level.takes_bottom_up_queue || !before);
    level.queues_early = behind && async && level.queues_while_expanding;
    level.single_scans = single_scan && before && !level.takes_bottom_up_queue;
    return level;
  }

 private:
  [[nodiscard]] BFSLAB_HOST_DEVICE bool goes_up(const XbfsProgress& at) const {
    return static_cast<double>(cumulative ? at.all_edges : at.edges) >= enough_edges;
  }

  // Equation 2. The first level has no ratio.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool comes_before_bottom_up(const XbfsProgress& at) const {
    if (at.edges_before == 0) return false;
    const auto edges = static_cast<double>(at.edges);
    const double next = edges * (edges / static_cast<double>(at.edges_before));
    return next + (cumulative ? static_cast<double>(at.all_edges) : 0.0) >= enough_edges;
  }
};

}  // namespace bfslab::cuda
