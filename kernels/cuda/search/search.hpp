// What a top-down search kernel is given: the graph, the answer, and one frontier to be made and
// shared out. Any frontier goes with any expansion of its interface (design: "materialised and
// streamed"): the frontier is chosen by values in here, the expansion by which kernel is launched,
// so that there are as many kernels as expansions and not their product.
#pragma once

#include <cstdint>

#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

enum class Collect : std::uint8_t {
  single_scan,  // expansion marks, a scan of all statuses gathers
  scan_free,    // expansion claims and queues at once
  prefix_sum,   // expansion marks, scans and a prefix sum gather
  filter        // expansion queues with duplicates, a filter takes them out
};

// What statuses are scanned and queued by: vertices, or Tigr's virtual ones, each a share of a
// vertex's edges.
struct Items {
  std::uint32_t count = 0;
  const vertex_t* vertex = nullptr;      // [count] null: item i is vertex i
  const std::uint32_t* first = nullptr;  // [n + 1] where a vertex's items begin
  std::uint32_t split = 0;               // most edges of an item
  bool strided = false;  // items of a vertex take turns at its edges, so that neighbours in a warp
                         // read neighbouring edges; false: each takes a run of them
};

struct Search {
  CsrView graph;
  Items items;
  level_t* levels = nullptr;    // all kUnreached but the source's
  vertex_t* parents = nullptr;  // null: not asked for
  LevelSlot* slots = nullptr;   // [kSlots] of frontiers; the first is the source's

  Collect collect = Collect::single_scan;
  bool one_atomic_a_vertex = false;  // else one for the lanes of a warp that are there together
  bool by_degree = false;            // queues have a region a degree class
  bool counts = false;               // expansion claims, and tells slots what it found
  unsigned width = 32;               // lanes of a virtual warp

  // Materialised: frontiers of even and of odd levels. By scan_free the first holds the source.
  QueueView queue[2];
  bool hierarchical = false;
  vertex_t* candidates = nullptr;            // filter: [edges + 1]
  std::uint32_t* candidate_count = nullptr;  // filter: [2] of even and of odd levels
  std::uint32_t* filter_bits = nullptr;      // filter: [ceil(n / 32)]
  std::uint32_t* sums = nullptr;             // [kDegreeClasses * blocks]
  edge_t* edges_before = nullptr;            // merge_path, load_balanced: [n + 1]
  edge_t* block_edges = nullptr;             // likewise: [blocks]

  // Streamed, and hierarchical: a CTA's queue in shared memory, or here.
  vertex_t* sub_queues = nullptr;     // [ctas * capacity] null: shared memory
  std::uint32_t capacity = 0;         // entries of a CTA's queue
  std::uint32_t* overflow = nullptr;  // [1] set where a hierarchical queue was too short
};

// Runs levels first, first + 1, ... of a cooperative grid, `most` of them or until one has an empty
// frontier. slots[l % kSlots] says how many vertices level l had, or items of a queue.
using SearchKernel = void (*)(Search, level_t first, level_t most);

// By the expansion's name as the toggle has it; null: no such pair.
SearchKernel materialised_kernel(const char* expand);
SearchKernel streamed_kernel(const char* expand);
SearchKernel status_scan_kernel();

}  // namespace bfslab::cuda
