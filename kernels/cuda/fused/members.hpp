// SPDX-License-Identifier: Apache-2.0
// The kernels of searches by several members (members.cu): each a group of blocks of one launch, or
// a launch.
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

// The same for a member whose hosts meet (FusedMember::step): a launch is one step, and every step
// of a search has the same arguments. A maximum of levels is 0, 1 or the largest level_t.
template <typename Offset>
FusedMembersKernel<Offset> fused_step_kernel(std::uint32_t& hot_words, bool counts);

}  // namespace bfslab::cuda
