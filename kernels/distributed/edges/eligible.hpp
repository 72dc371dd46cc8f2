// SPDX-License-Identifier: Apache-2.0
// EligibleVertices: which vertices of a graph a search may start from, where the graph is made in
// parts and no process holds it: one pass over the shares marks the ends of their tuples.
//
// Cost: every tuple is made once, by all threads of all processes together; a bit for each vertex
// on every process, combined by one OR-reduction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/distributed/communicator/processes.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"
#include "kernels/engine.hpp"

namespace bfslab::distributed {

// The condition for a vertex to be a source: none, an out-neighbour (a self-loop counts), or an
// out-neighbour other than itself.
enum class Eligible { any, degree, two_levels };

class EligibleVertices {
 public:
  // Collective over `processes`; `threads` of each take part, the same number on all. `source` is
  // taken as share_edges() takes it, and throws as it does.
  EligibleVertices(Processes& processes, unsigned threads, const GraphSource& source,
                   Eligible rule);

  [[nodiscard]] std::uint64_t vertices() const { return vertices_; }  // of the graph
  [[nodiscard]] std::uint64_t tuples() const { return tuples_; }      // of its input
  [[nodiscard]] std::uint64_t count() const { return count_; }        // eligible ones
  // The eligible vertices of these positions in their ascending order; each < count(). Not
  // collective: every process knows all.
  [[nodiscard]] std::vector<global_vertex_t> at(std::span<const std::uint64_t> positions) const;

 private:
  std::uint64_t vertices_ = 0;
  std::uint64_t tuples_ = 0;
  std::uint64_t count_ = 0;
  std::vector<Word> bits_;  // empty where all vertices are eligible
};

}  // namespace bfslab::distributed
