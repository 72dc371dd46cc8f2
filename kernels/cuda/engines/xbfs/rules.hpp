// SPDX-License-Identifier: Apache-2.0
// The decisions of xbfs before a level (XBFS, section 4.3 and Figure 7, or Enterprise's own rule):
// the same function on the host, in a CUDA graph and inside one kernel, whichever drives the
// levels.
#pragma once

#include "kernels/cuda/traversal/progress.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

// The choices for a level, in the order of their use.
struct XbfsLevel {
  bool up = false;         // bottom-up; the others except `continues` are for top-down levels
  bool continues = false;  // the level before was bottom-up as well

  bool streams = false;                 // the frontier by decentralized queues
  bool takes_bottom_up_queue = false;   // the frontier is the bottom-up queue, unfiltered
  bool gathers = false;                 // the frontier must be gathered, by a prefix sum
  bool gathers_by_single_scan = false;  // or by one scan
  bool queues_early = false;            // early finds of bottom-up enter the next queue
  bool queues_while_expanding = false;  // finds enter the next queue
  bool gathers_next = false;            // marked vertices are gathered afterwards, by a prefix sum
  bool single_scans = false;            // or by one scan

  // Returns whether a scan has counted the finds, early ones included.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool counts_by_scan() const {
    return gathers_next || single_scans;
  }
  // Returns whether the next level's frontier is in its queue.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool leaves_queue() const {
    return queues_while_expanding || gathers_next || single_scans;
  }
};

struct XbfsRules {
  bool scan_free = true;
  bool single_scan = true;
  bool no_generation = true;
  bool double_scan = true;
  bool async = true;
  bool cumulative = false;
  Queue queue = Queue::central;
  bool searches = false;    // top_down/ runs top-down levels: any queue, any expansion
  bool keeps_list = false;  // bottom-up levels shorten one list, or set of bits, of the unvisited
  bool bins = false;        // what a prefix sum gathers lies in bins of the threads before
  bool edgeless = false;    // vertices that no edge enters are queued for bottom-up, too
  bool one_way = false;     // Enterprise's rule: bottom-up at last, and to the end
  double enough_edges = 0;  // alpha |E|, or gamma |E|

  // Returns the number of values of kind(), which encodes all differences between levels.
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned kinds() const {
    return keeps_list || bins ? kUpAgain + 1 : searches ? kUpAgain : 1 + 2 * kUnqueued;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned kind(const Progress& at) const {
    if (goes_up(at)) return (keeps_list || bins) && at.was_bottom_up ? kUpAgain : kUp;
    const unsigned where = at.was_bottom_up            ? kAfterUp
                           : searches && !at.is_queued ? kUnqueued
                                                       : kQueued;
    return 1 + 2 * where + (comes_before_bottom_up(at) ? 1 : 0);
  }

  [[nodiscard]] BFSLAB_HOST_DEVICE XbfsLevel level_of(unsigned kind) const {
    XbfsLevel level;
    level.up = kind == kUp || kind == kUpAgain;
    level.continues = kind == kUpAgain;
    if (level.up) return level;
    const unsigned where = (kind - 1) / 2;
    const bool before = (kind - 1) % 2 != 0;
    if (queue == Queue::decentralized) {
      level.streams = true;
      return level;
    }
    level.takes_bottom_up_queue = where == kAfterUp && no_generation;
    if (where != kQueued && !level.takes_bottom_up_queue) {
      level.streams = queue == Queue::adaptive;
      const bool gathers_it = !level.streams;
      level.gathers_by_single_scan = gathers_it && where == kUnqueued && single_scan;
      level.gathers = gathers_it && !level.gathers_by_single_scan;
    }
    level.queues_while_expanding = scan_free && (level.takes_bottom_up_queue || !before);
    level.queues_early = where == kAfterUp && async && level.queues_while_expanding;
    // A search leaves the gathering of its frontier to the next level, if that is top-down.
    if (level.queues_while_expanding || searches) return level;
    level.single_scans = single_scan && before && !level.takes_bottom_up_queue;
    level.gathers_next = !level.single_scans;
    return level;
  }

 private:
  static constexpr unsigned kUp = 0, kUpAgain = 7;
  static constexpr unsigned kQueued = 0, kAfterUp = 1, kUnqueued = 2;  // the frontier's queue

  [[nodiscard]] BFSLAB_HOST_DEVICE bool goes_up(const Progress& at) const {
    if (one_way && (at.has_gone_up || at.level == 0)) return at.has_gone_up;
    return static_cast<double>(cumulative ? at.all_edges : at.edges) >= enough_edges;
  }

  // Equation 2. The first level has no ratio.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool comes_before_bottom_up(const Progress& at) const {
    if (at.edges_before == 0) return false;
    const auto edges = static_cast<double>(at.edges);
    const double next = edges * (edges / static_cast<double>(at.edges_before));
    return next + (cumulative ? static_cast<double>(at.all_edges) : 0.0) >= enough_edges;
  }
};

}  // namespace bfslab::cuda
