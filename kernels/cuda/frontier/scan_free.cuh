// SPDX-License-Identifier: Apache-2.0
// Scan-free frontier generation (XBFS, section 4.1): a claim queues the neighbour at once.
//
// Cost: an atomic and 16 bytes of offsets per vertex found, nothing for the others. Wins while
// frontiers are small, where a scan of all statuses would cost more than the level itself.
#pragma once

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// An edge action (traversal/edges.cuh). Guarantees: after the barrier that ends the level, the next
// level's queue holds each found vertex that has edges once, by degree class or in one region. Its
// slot has the number of found vertices, their out-degrees, and the number queued.
template <bool kByClass, int kEdges = 1>
struct ScanFree {
  static constexpr int kBatch = kEdges;

  const CsrView& graph;  // in kernel parameters, like the queue: copies would lie in local memory
  Visit visit;
  const QueueView& queue;
  LevelSlot* next = nullptr;
  unsigned long long vertices = 0;  // found by this thread
  unsigned long long edges = 0;     // their out-degrees

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return visit.open_among(to);
  }

  __device__ __forceinline__ void found(vertex_t from, vertex_t to) {
    if (!visit.claim(to, from)) return;
    const edge_t degree = degree_of(graph, to);
    ++vertices;
    edges += degree;
    if (degree == 0) return;
    if constexpr (kByClass) {
      append_by_class(queue, next->queued, degree_class(degree), to);
    } else {
      const std::uint32_t at = append_place(next->queued);
      stress_pause();
      queue.entries[at] = to;
    }
  }

  // Called by all threads of the block.
  __device__ void finish() {
    __syncwarp();
    add_of_block(vertices, &next->vertices);
    add_of_block(edges, &next->edges);
  }
};
static_assert(EdgeAction<ScanFree<true>> && EdgeAction<ScanFree<false, kEdgesEach>>);

}  // namespace bfslab::cuda
