// SPDX-License-Identifier: Apache-2.0
// The edge action that is chosen at run time. It marks a vertex, or claims and queues it
// (scan-free, on request through a hierarchical queue), or lists it as a candidate for the filter.
// Kernels of all levels take it, so that there is one kernel per expansion and not per pair.
//
// Cost beside the chosen action's: a uniform branch per find, and the largest action's registers.
#pragma once

#include "kernels/cuda/frontier/collecting.hpp"
#include "kernels/cuda/frontier/hierarchical.cuh"
#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

template <bool kByClass>
struct Collector {
  static constexpr int kBatch = kEdgesEach;

  const Collecting& collecting;
  const CsrView& graph;
  Visit visit;                          // for the level after this one
  LevelSlot* next = nullptr;            // its slot
  const QueueView& queue;               // its queue
  HierarchicalQueue* shared = nullptr;  // the block's; null: the queue is central
  unsigned long long vertices = 0;      // found, if counted
  unsigned long long edges = 0;         // their out-degrees

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return visit.open_among(to);
  }

  __device__ __forceinline__ void found(vertex_t from, vertex_t to) {
    if (collecting.on_found == OnFound::queued || collecting.counts) {
      if (!visit.claim(to, from)) return;
    } else {
      stress_pause();
      visit.set(to, from);
    }
    if (collecting.counts) {
      ++vertices;
      edges += degree_of(graph, to);
    }
    if (collecting.on_found == OnFound::queued) {
      if (shared != nullptr) {
        shared->push(to, collecting.overflow);
      } else {
        enqueue(graph, queue, next->queued, to, {kByClass, collecting.one_atomic_a_vertex});
      }
    } else if (collecting.on_found == OnFound::listed) {
      collecting.candidates
          .entries[append_place(&next->candidates, collecting.one_atomic_a_vertex)] = to;
    }
  }

  // Called by all threads of the block.
  __device__ void finish() {
    if (!collecting.counts) return;
    add_of_block(vertices, &next->vertices);
    add_of_block(edges, &next->edges);
    vertices = edges = 0;
  }
};
static_assert(EdgeAction<Collector<false>>);

template <bool kByClass>
__device__ Collector<kByClass> collector_of(const Traversal& work, const Collecting& collecting,
                                            level_t level, HierarchicalQueue* shared = nullptr) {
  return {.collecting = collecting,
          .graph = work.outgoing,
          .visit = {work.status, level + 1},
          .next = work.slot(level + 1),
          .queue = work.queue_of(level + 1),
          .shared = shared};
}

}  // namespace bfslab::cuda
