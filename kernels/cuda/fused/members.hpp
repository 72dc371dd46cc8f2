// SPDX-License-Identifier: Apache-2.0
// The kernels of searches by several members (members.cu): each a group of blocks of one launch, or
// a launch.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/fused/member_answers.hpp"

namespace bfslab::cuda {

// Arguments: [members] the members; the source as given; the start, at the source or at the state
// that the last launch has left; the maximum of levels.
template <typename Offset>
using FusedMembersKernel =
    CooperativeKernel<const FusedMember<Offset>*, vertex_t, FusedStart, level_t>;

// A member's part of several searches in one launch, one after the other. Of `kept`, `times_ns` and
// `reached`, each search has its own part.
struct FusedMemberSearches {
  const vertex_t* sources = nullptr;  // [count] as given
  std::uint32_t count = 0;
  bool maps_in_time = false;
  FusedMemberAnswers map;
  level_t* levels = nullptr;               // [count][map.owned] the answers kept
  vertex_t* parents = nullptr;             // likewise; null: not requested
  unsigned long long* times_ns = nullptr;  // [count][2] when each began and ended, device_ns()
  unsigned long long* reached = nullptr;   // [count] gets the lengths of the rows reached added
};

// Arguments: the member; its searches. A member is a launch.
template <typename Offset>
using FusedMemberSearchesKernel =
    CooperativeKernel<const FusedMember<Offset>*, FusedMemberSearches>;

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

// Returns the kernel of searches in a row, in the same way. All launches of a member need the same
// number of blocks.
template <typename Offset>
FusedMemberSearchesKernel<Offset> fused_member_searches_kernel(std::uint32_t& hot_words);

}  // namespace bfslab::cuda
