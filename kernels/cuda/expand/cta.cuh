// SPDX-License-Identifier: Apache-2.0
// CTA expansion: a block takes a frontier vertex (the coarsest of the three ways of Merrill et al.,
// PPoPP 2012, and Enterprise's block queue: XBFS, section 5.1.1).
//
// Cost: as by virtual warp, a block wide. Wins only if most vertices have hundreds of edges.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct CtaExpansion {
  static constexpr const ExpansionPart& kPart = expansion("cta");
  __device__ explicit CtaExpansion(const ExpandScratch&) {}

  template <typename Scope, typename Rows, EdgeAction Action>
  __device__ void run(const Rows& rows, const std::uint32_t* entries, std::uint32_t count,
                      Action& action) const {
    for (std::uint32_t i = Scope::block(); i < count; i += Scope::blocks()) {
      visit_edges(action, rows.graph, rows.range_of(entries[i]), threadIdx.x, blockDim.x);
    }
  }
};
static_assert(Expansion<CtaExpansion>);

}  // namespace bfslab::cuda
