// What all levels of an xbfs traversal are given, whoever drives them: the host, a CUDA graph or
// one kernel.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"
#include "kernels/cuda/xbfs_rules.hpp"

namespace bfslab::cuda {

struct XbfsWork {
  XbfsRules rules;
  CsrView outgoing, incoming;
  level_t* levels = nullptr;    // all kUnreached but the source's
  vertex_t* parents = nullptr;  // null: not asked for
  QueueView frontier[2];        // of even and of odd levels; the first holds the source
  QueueView bottom_up;
  std::uint32_t* bottom_up_queued = nullptr;  // [kDegreeClasses]
  const std::uint32_t* enterable = nullptr;   // [ceil(n / 32)]
  const vertex_t* hubs = nullptr;             // null: no hub cache
  std::uint32_t hub_count = 0;
  LevelSlot* slots = nullptr;       // [kSlots] the first one is the source's
  std::uint32_t* counts = nullptr;  // of scans: a part's, by class
  std::uint32_t* offsets =
      nullptr;  // the sums before each of them; in one kernel: a block's counts

  [[nodiscard]] BFSLAB_HOST_DEVICE LevelSlot* slot(level_t level) const {
    return slots + level % kSlots;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE const QueueView& queue(level_t level) const {
    return frontier[level % 2];
  }
};

// The number of the running level as a kernel gets it: from the host that launches it, or from
// where a graph keeps it, whose kernels are given their arguments once for all levels.
struct LevelNumber {
  level_t given = 0;
  const level_t* kept = nullptr;

#ifdef __CUDACC__
  __device__ level_t get() const { return kept != nullptr ? *kept : given; }
#endif
};

// `next` is the next level's slot. A level may find nothing because all of it was found early.
BFSLAB_HOST_DEVICE inline void end_level(XbfsProgress& at, const XbfsLevel& ran,
                                         const LevelSlot& next) {
  const std::uint64_t early = ran.counts_by_scan() ? 0 : next.early_vertices;
  const std::uint64_t early_edges = ran.counts_by_scan() ? 0 : next.early_edges;
  at.advance(next.vertices + early, next.edges + early_edges, ran.up);
}

}  // namespace bfslab::cuda
