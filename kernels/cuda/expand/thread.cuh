// Thread-centric expansion: a thread takes a frontier vertex, or one of Tigr's virtual vertices,
// and walks its edges alone (Harish and Narayanan in papers/dfq.txt section II.B; papers/cs406.txt
// section 4.2.1).
//
// Cost: 4 bytes of queue and 16 of offsets a vertex, 4 of adjacency and one status word an edge;
// threads of a warp read adjacency 32 places at once. Wins where degrees are small and alike; a hub
// keeps its warp to the last edge.
#pragma once

#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

struct ThreadExpansion {
  template <typename Scope>
  __device__ static void run(const Search& search, const std::uint32_t* items, std::uint32_t count,
                             Visitor& visitor) {
    for (std::uint32_t i = Scope::thread(); i < count; i += Scope::threads()) {
      visit_edges(visitor, edges_of(search.graph, search.items, items[i]), 0, 1);
    }
  }
};

}  // namespace bfslab::cuda
