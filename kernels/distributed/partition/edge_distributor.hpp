// SPDX-License-Identifier: Apache-2.0
// Degree separation and the edge distributor (scalable-bfs, sections III-A and III-B, Algorithm 1):
// they assign an edge to a GPU of a rank from the ids and out-degrees of its ends.
//
// Vertices with more than TH neighbours are delegates, the rest are normal. Vertex v belongs to
// rank v mod p_rank and there to GPU (v / p_rank) mod p_gpu. An edge goes to the owner of its
// source if that is normal; else to the owner of its destination if that is normal; else to the
// owner of the end with the smaller out-degree, or the smaller id for equal out-degrees.
//
// Consequences, which tests/kernels/edge_distributor_test.cpp checks:
//   * placing an edge needs the degrees, but no other table and no query to another rank;
//   * u->v and v->u are on the same GPU unless both ends are normal, so that the nd, dn and dd
//     subgraphs of a GPU are symmetric together and each GPU may choose its direction;
//   * a GPU owns the normal ends of its nd and dn edges and of its nn sources: at most n / p. They
//     and the d delegates fit 32 bits, although global ids need 64;
//   * the owners of a hub's neighbours share its edges: each GPU holds about m / p edges.
//
// Cost model: two comparisons of degrees and one division per edge; two random reads of degrees if
// these are not at hand. Storage follows Table I: kernels/count/subgraph_memory.hpp. On skewed
// graphs it wins over 1D partitions (which put a hub's list on one GPU) and 2D ones (which search
// for a vertex's parent on sqrt(p) members). If no vertex exceeds TH, it is a 1D partition.
//
// Placement (kernels/distributed/subgraphs/placement.hpp) applies it to edges.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bfslab::distributed {

using global_vertex_t = std::uint64_t;  // unique over all GPUs
using local_vertex_t = std::uint32_t;   // among one GPU's normal vertices, or among delegates

enum class EdgeClass : std::uint8_t { nn, nd, dn, dd };  // source, destination: normal or delegate
inline constexpr std::size_t kEdgeClasses = 4;

constexpr const char* to_text(EdgeClass edge_class) {
  constexpr const char* names[] = {"nn", "nd", "dn", "dd"};
  return names[static_cast<std::size_t>(edge_class)];
}

// One value per edge class.
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

// Returns the end whose owner stores an edge between two delegates (Algorithm 1): the one of
// smaller degree, or of smaller id for equal degrees.
constexpr global_vertex_t lower_end(global_vertex_t from, global_vertex_t to,
                                    std::uint64_t from_degree, std::uint64_t to_degree) {
  if (from_degree != to_degree) return from_degree < to_degree ? from : to;
  return from < to ? from : to;
}

}  // namespace bfslab::distributed
