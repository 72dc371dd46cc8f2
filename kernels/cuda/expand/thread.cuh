// SPDX-License-Identifier: Apache-2.0
// Thread-centric expansion: a thread takes a frontier vertex, or one of Tigr's virtual vertices,
// and walks its edges alone (Harish and Narayanan, in DFQ, section II.B; cs406, section 4.2.1).
//
// Cost: 4 bytes of queue and 16 of offsets per vertex, 4 of adjacency and one status word per edge;
// the threads of a warp read adjacency at 32 places at once. Wins where degrees are small and
// alike; a hub keeps its warp to the last edge.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct ThreadExpansion {
  static constexpr const ExpansionPart& kPart = expansion("thread");
  __device__ explicit ThreadExpansion(const ExpandScratch&) {}

  template <typename Scope, typename Rows, EdgeAction Action>
  __device__ void run(const Rows& rows, const std::uint32_t* entries, std::uint32_t count,
                      Action& action) const {
    for (std::uint32_t i = Scope::thread(); i < count; i += Scope::threads()) {
      visit_edges(action, rows.graph, rows.range_of(entries[i]), 0, 1);
    }
  }
};
static_assert(Expansion<ThreadExpansion>);

}  // namespace bfslab::cuda
