// SPDX-License-Identifier: Apache-2.0
// The kernel of `fused-members`: a search by several members, each a group of blocks, in one
// launch.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/fused/member.hpp"

namespace bfslab::cuda {

// Arguments: [members] the members; the source as given; the start, at the source or at the state
// that the last launch has left; the maximum of levels.
template <typename Offset>
using FusedMembersKernel =
    CooperativeKernel<const FusedMember<Offset>*, vertex_t, FusedStart, level_t>;

// Returns the kernel with its grid: gridDim.x blocks for each of `members` members. `hot_words`, as
// for FusedKernels::search, is reduced to what the device has room for. `counts`: whether to count
// the edges that bottom-up checks, and those of its finds. Throws Unsupported if the GPU does not
// run a block for each member at once.
template <typename Offset>
FusedMembersKernel<Offset> fused_members_kernel(std::uint32_t& hot_words, unsigned members,
                                                bool counts);

}  // namespace bfslab::cuda
