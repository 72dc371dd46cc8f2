// SPDX-License-Identifier: Apache-2.0
// Degree separation and the edge distributor (scalable-bfs, sections III-A and III-B,
// Algorithm 1): which GPU of which rank gets an edge, from the ids and out-degrees of its ends.
//
// Vertices with more than TH neighbours are delegates, the rest are normal. Vertex v belongs to
// rank v mod p_rank and there to GPU (v / p_rank) mod p_gpu. An edge goes to the owner of its
// source where that is normal, else to the owner of its destination where that is normal, else to
// the owner of the end with the smaller out-degree, the smaller id where these are equal.
//
// Consequences, which tests/kernels/edge_distributor_test.cpp checks:
//   * an edge's place needs no table but the degrees, and no query to another rank;
//   * u->v and v->u are on the same GPU unless both ends are normal, so that the nd, dn and dd
//     subgraphs of a GPU are symmetric as a whole and a GPU may choose its own direction;
//   * the normal ends of a GPU's nd, dn and nn-source sides are vertices that it owns, n / p at
//     most, and delegates number d: both fit 32 bits where global ids need 64;
//   * a hub's edges are spread over the owners of its neighbours: GPUs hold about m / p each.
//
// Cost model: two comparisons of degrees and one division per edge; two random reads of degrees
// if the degrees of the ends are not available. Storage as Table I:
// kernels/count/subgraph_memory.hpp. It wins over 1D partitions (which put a hub's list on one GPU)
// and 2D ones (sqrt(p) parents to look for a vertex) on skewed graphs; where no vertex exceeds TH
// it is a 1D partition.
//
// Placement (kernels/distributed/subgraphs/placement.hpp) places edges by it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bfslab::distributed {

using global_vertex_t = std::uint64_t;  // over all GPUs
using local_vertex_t = std::uint32_t;   // of one GPU's normal vertices, or a delegate's number

enum class EdgeClass : std::uint8_t { nn, nd, dn, dd };  // from normal or delegate to either
inline constexpr std::size_t kEdgeClasses = 4;

constexpr const char* to_text(EdgeClass edge_class) {
  constexpr const char* names[] = {"nn", "nd", "dn", "dd"};
  return names[static_cast<std::size_t>(edge_class)];
}

// One of a thing for each class.
template <typename Each>
struct PerEdgeClass {
  Each each[kEdgeClasses]{};
  constexpr Each& operator[](EdgeClass edge_class) {
    return each[static_cast<std::size_t>(edge_class)];
  }
  constexpr const Each& operator[](EdgeClass edge_class) const {
    return each[static_cast<std::size_t>(edge_class)];
  }
};

// The end that keeps an edge between two delegates (Algorithm 1): of smaller degree, then of
// smaller id.
constexpr global_vertex_t lower_end(global_vertex_t from, global_vertex_t to,
                                    std::uint64_t from_degree, std::uint64_t to_degree) {
  if (from_degree != to_degree) return from_degree < to_degree ? from : to;
  return from < to ? from : to;
}

}  // namespace bfslab::distributed
