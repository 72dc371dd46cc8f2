// Virtual-warp expansion (Hong et al. in papers/dfq.txt sections II.B and V.A): a group of 1 to 32
// lanes takes a frontier vertex and reads its edges side by side.
//
// Cost: as by thread, and adjacency coalesced over the group; lanes beyond a vertex's degree idle.
// Wins with a width near the usual degree. At 32 it is the paper's choice for BASE, HQ and DFQ.
#pragma once

#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

struct VirtualWarpExpansion {
  template <typename Scope>
  __device__ static void run(const Search& search, const std::uint32_t* items, std::uint32_t count,
                             Visitor& visitor) {
    const unsigned width = search.width;
    const unsigned lane = Scope::thread() % width;
    const unsigned groups = Scope::threads() / width;
    for (std::uint32_t i = Scope::thread() / width; i < count; i += groups) {
      visit_edges(visitor, edges_of(search.graph, search.items, items[i]), lane, width);
    }
  }
};

}  // namespace bfslab::cuda
