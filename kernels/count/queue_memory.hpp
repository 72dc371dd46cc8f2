// SPDX-License-Identifier: Apache-2.0
// Bytes of frontier queues by design (DFQ, sections III-B and V-D, Figure 1, Table II).
//
//   central        one queue that holds every vertex that can be a frontier     4 V
//   naive          |SQ| sub-queues, each of which may receive all of them       4 V |SQ|
//   hierarchical   |H| levels of queues, each with space for all                4 V |H|
//   decentralized  |SQ| sub-queues of c entries, drained before they overflow   4 c |SQ|
//
// V is the number of vertices that have an edge: Table II's BASE is 4 bytes for each of those, in
// MB of 10^6 (docs/errata.md#dfq-table-ii); with vertices=all, of all vertices. The paper gives no
// number for |H|: 3 stands for warp, block and grid, the levels of the queue that it cites. Sizes,
// heads and tails of queues are a few bytes each and are left out, as in the paper's formulas.
#pragma once

#include <cstdint>

#include "datasets/build/edge_source.hpp"
#include "datasets/graph/csr_graph.hpp"

namespace bfslab::count {

struct QueueDesign {
  double sub_queues = 82;  // |SQ|: one per CTA, 82 on the paper's GPU
  double capacity = 2048;  // c, entries
  double hierarchy = 3;    // |H|
  double entry_bytes = 4;  // a vertex id
};

struct QueueBytes {
  double central, naive, hierarchical, decentralized;
};

// `frontier_vertices`: V above.
inline QueueBytes queue_bytes(double frontier_vertices, const QueueDesign& design) {
  const double central = frontier_vertices * design.entry_bytes;
  return {.central = central,
          .naive = central * design.sub_queues,
          .hierarchical = central * design.hierarchy,
          .decentralized = design.capacity * design.sub_queues * design.entry_bytes};
}

// Returns the number of vertices with at least one edge, out of or into them. A stream costs one
// bit per vertex, tested before it is set, so that most tuples only read; `self_loops`: whether a
// self-loop counts as an edge.
std::uint64_t count_connected(const CsrGraph& graph, int threads);
std::uint64_t count_connected(const EdgeSource& stream, bool self_loops, int threads);

}  // namespace bfslab::count
