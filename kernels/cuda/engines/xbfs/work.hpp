// SPDX-License-Identifier: Apache-2.0
// The state that all levels of an xbfs traversal share, under each of its three drivers.
#pragma once

#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/bottom_up/unvisited_list.hpp"
#include "kernels/cuda/engines/xbfs/rules.hpp"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

struct XbfsWork : Traversal {
  XbfsRules rules;
  Items items;                                // the vertices
  QueueView bottom_up;                        // of the unvisited
  std::uint32_t* bottom_up_queued = nullptr;  // [kDegreeClasses]
  int bottom_up_classes = 1;
  const std::uint32_t* enterable = nullptr;  // [ceil(n / 32)]
  const vertex_t* hubs = nullptr;            // null: no hub cache
  std::uint32_t hub_count = 0;
  std::uint32_t* counts = nullptr;  // of scans: per part and class
  std::uint32_t* offsets =
      nullptr;  // the sums before each of them; in one kernel: a block's counts

  UnvisitedView unvisited;             // replaces the queue of bottom-up levels: rules.keeps_list
  QueueView lists[2];                  // the same lists, before even and before odd levels
  FirstNeighborsView first_neighbors;  // replaces either

  // Required by DecidesLevels (traversal/level_graph.cuh).
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned kinds() const { return rules.kinds(); }
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned kind(const Progress& at) const {
    return rules.kind(at);
  }
  BFSLAB_HOST_DEVICE void close(Progress& at, unsigned ran) const {
    close(at, rules.level_of(ran), *slot(at.level + 1));
  }
  // `next` is the next level's slot. A level may find nothing because all of it was found early.
  BFSLAB_HOST_DEVICE static void close(Progress& at, const XbfsLevel& ran, const LevelSlot& next) {
    const bool has_early = !ran.counts_by_scan();
    at.advance(next.vertices + (has_early ? next.early_vertices : 0),
               next.edges + (has_early ? next.early_edges : 0), ran.up);
    at.is_queued = ran.leaves_queue();
  }
};

}  // namespace bfslab::cuda
