// Scan-free frontier generation (papers/xbfs.txt section 4.1): a neighbour that is claimed enters
// the next queue at once, by an atomic.
//
// Cost: an atomic and 16 bytes of offsets for each vertex found, nothing for the others. Wins while
// frontiers are small, where a scan of all statuses would cost more than the level itself.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"
#include "kernels/cuda/frontier/visit.cuh"

namespace bfslab::cuda {

struct ScanFree {
  Visit visit;
  QueueView queue;
  LevelSlot* next = nullptr;

  // What a thread found, given to the slot at the kernel's end.
  struct Tally {
    unsigned long long vertices = 0;
    unsigned long long edges = 0;
  };

  __device__ void edge(const CsrView& graph, vertex_t from, vertex_t to, Tally& tally) const {
    if (!visit.claim(to, from)) return;
    const edge_t degree = degree_of(graph, to);
    ++tally.vertices;
    tally.edges += degree;
    if (degree > 0) append(queue, next->queued, degree_class(degree), to);
  }

  // All threads of the block.
  __device__ void finish(const Tally& tally) const {
    add_of_block(tally.vertices, &next->vertices);
    add_of_block(tally.edges, &next->edges);
  }
};

// Where a scan of the statuses follows, expansion only marks.
struct MarkOnly {
  Visit visit;

  struct Tally {};

  __device__ void edge(const CsrView&, vertex_t from, vertex_t to, Tally&) const {
    visit.mark(to, from);
  }
  __device__ void finish(const Tally&) const {}
};

}  // namespace bfslab::cuda
