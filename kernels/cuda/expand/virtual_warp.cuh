// SPDX-License-Identifier: Apache-2.0
// Virtual-warp expansion (Hong et al., PPoPP 2011, in DFQ, sections II.B and V.A): a group of 1 to
// 32 lanes takes a frontier vertex and reads its edges together.
//
// The lanes of a group meet after each vertex. Otherwise the first that end go on to the next one,
// and the group drifts apart: with one CTA on com-orkut's stand-in an instruction of BASE had 11.5
// active lanes on an H200, and BASE executed 2.2 times as many instructions as DFQ, whose barrier
// at each drain brought the lanes together (docs/differences.md, "Figure 6").
//
// Cost: as by thread, with adjacency coalesced over the group; lanes beyond a vertex's degree idle.
// Wins with a width near the usual degree. At 32 it is DFQ's choice for BASE, HQ and DFQ.
#pragma once

#include "kernels/cuda/expand/expansion.cuh"

namespace bfslab::cuda {

struct VirtualWarpExpansion {
  static constexpr const ExpansionPart& kPart = expansion("virtual_warp");
  __device__ explicit VirtualWarpExpansion(const ExpandScratch& scratch) : width(scratch.width) {}

  template <typename Scope, typename Rows, EdgeAction Action>
  __device__ void run(const Rows& rows, const std::uint32_t* entries, std::uint32_t count,
                      Action& action) const {
    const unsigned lane = Scope::thread() % width;
    const unsigned groups = Scope::threads() / width;
    const unsigned group = (kAllLanes >> (32 - width)) << (lane_id() / width * width);
    for (std::uint32_t i = Scope::thread() / width; i < count; i += groups) {
      visit_edges(action, rows.graph, rows.range_of(entries[i]), lane, width);
      __syncwarp(group);
    }
  }

  unsigned width;  // lanes of a group: a power of two, at most 32
};
static_assert(Expansion<VirtualWarpExpansion>);

}  // namespace bfslab::cuda
