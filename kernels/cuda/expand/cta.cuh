// CTA expansion: a block takes a frontier vertex (the coarsest of Merrill et al.'s three ways, and
// Enterprise's block queue, papers/xbfs.txt section 5.1.1).
//
// Cost: as by virtual warp, with the width of a block. Wins only where most vertices have hundreds
// of edges.
#pragma once

#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

struct CtaExpansion {
  template <typename Scope>
  __device__ static void run(const Search& search, const std::uint32_t* items, std::uint32_t count,
                             Visitor& visitor) {
    for (std::uint32_t i = Scope::block(); i < count; i += Scope::blocks()) {
      visit_edges(visitor, edges_of(search.graph, search.items, items[i]), threadIdx.x, blockDim.x);
    }
  }
};

}  // namespace bfslab::cuda
