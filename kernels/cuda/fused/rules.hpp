// SPDX-License-Identifier: Apache-2.0
// The rule by which `fused` chooses how a level runs: where it turns bottom-up and back, and which
// frontiers one block runs. The host and the kernel use the same function.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "kernels/cuda/traversal/progress.hpp"

namespace bfslab::cuda {

// The kind of a level, as the log records it.
enum FusedKind : unsigned { kFusedDown, kFusedUp, kFusedSmall, kFusedResident, kFusedCut };

struct FusedRules {
  // On graphs of more vertices, a block keeps hubs' bits in shared memory bottom-up.
  static constexpr vertex_t kManyVertices = 1U << 23;
  // Usual values of alpha. On the largest graphs by degree, a level top-down costs more than one
  // bottom-up from fewer edges on (docs/fused.md). In ids as given a vertex looks at more of its
  // neighbours. Where the grid looks at all vertices at once, a level top-down takes as little time
  // as one bottom-up.
  static constexpr double kAlphaByDegree = 15;
  static constexpr double kAlphaOfLarge = 30;  // by degree, of more than kLargeVertices
  static constexpr double kLargeVertices = 1U << 24;
  static constexpr double kAlphaAsGiven = 8;
  static constexpr double kAlphaAtOnce = 2;

  bool bottom_up = true;
  bool small = true;
  // Up: the frontier's edges times this exceed the unreached; 0: never.
  double alpha = kAlphaByDegree;
  bool careful = true;  // up only if the frontier grows
  double beta = 1024;   // down again: the frontier's vertices times this are below all
  double edges = 0;
  double vertices = 0;
  double end_degree = 0;  // the mean degree of the vertices that edges lead to
  unsigned packed = 0;    // neighbours that a packed row has room for; 0: rows are not packed
  // The fewest neighbours of a row that is cut by ranges of ids top-down (cut_rows.hpp); 0: none
  // is.
  std::uint64_t cut_degree = 0;

  // Returns the usual alpha in ids by degree, for a graph with this number of vertices.
  [[nodiscard]] static constexpr double alpha_by_degree(double vertices) {
    return vertices > kLargeVertices ? kAlphaOfLarge : kAlphaByDegree;
  }

  // The largest frontier that one block searches alone: its vertices, and its edges of long rows.
  static constexpr std::uint64_t kSmallEntries = 4096;  // of packed rows
  BFSLAB_HOST_DEVICE static constexpr std::uint64_t small_vertices(unsigned packed) {
    return packed > 4 ? kSmallEntries / packed : 1024;
  }
  static constexpr std::uint64_t kSmallEdges = 2048;

  // Valid for a frontier in its queue.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool is_small(const Progress& at) const {
    // The neighbours of packed rows are already loaded.
    return small && at.frontier <= small_vertices(packed) &&
           at.edges <= (packed > 0 ? 2 * kSmallEdges : kSmallEdges);
  }
  // Returns whether a level top-down cuts its rows: it has many edges, and most are of long rows.
  // Valid for a frontier in its queue.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool cuts(const Progress& at) const {
    return cut_degree > 0 && at.edges >= kCutRows * cut_degree &&
           2 * at.edges >= at.frontier * cut_degree;
  }
  static constexpr std::uint64_t kCutRows = 2048;
  // Returns whether a level after a bottom-up one is another.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool stays_up(const Progress& at) const {
    return static_cast<double>(at.frontier) * beta >= vertices;
  }
  // Returns whether the level after one top-down is expected to go bottom-up, if each edge of a
  // growing frontier finds a vertex.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool expects_up(const Progress& at) const {
    if (!bottom_up || 2 * at.edges <= at.all_edges) return false;
    const double left = edges - static_cast<double>(at.all_edges);
    return static_cast<double>(at.edges) * end_degree * alpha > left;
  }
  // Returns how the next level runs; here a search turns bottom-up, and down again.
  [[nodiscard]] BFSLAB_HOST_DEVICE FusedKind kind(const Progress& at) const {
    if (at.is_queued && is_small(at)) return kFusedSmall;
    if (!bottom_up) return kFusedDown;
    if (at.was_bottom_up) return stays_up(at) ? kFusedUp : kFusedDown;
    // A frontier that no longer grows, as in a mesh, finds few parents, however few are left.
    if (careful && 2 * at.edges <= at.all_edges) return kFusedDown;
    const double left = edges - static_cast<double>(at.all_edges);
    return static_cast<double>(at.edges) * alpha > left ? kFusedUp : kFusedDown;
  }
};

}  // namespace bfslab::cuda
