// SPDX-License-Identifier: Apache-2.0
// Meetings (barriers) of kernels and reads of peer memory: the device side of device_team.hpp.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/meeting.cuh"
#include "kernels/distributed/communicator/device_team.hpp"

namespace bfslab::distributed {

using cuda::of_peer;

// Reads four words from `word` on, which is aligned to 16 bytes.
__device__ __forceinline__ uint4 four_of_peer(const std::uint32_t* word) {
  return __ldcv(reinterpret_cast<const uint4*>(word));
}

// Loads words over all links to the other members and so wakes idle links. The loads are still
// pending when it returns; await_links() waits for its result. Called by all threads of a grid; one
// warp per block loads.
__device__ inline std::uint32_t wake_links(const DeviceTeamView& team) {
  if (team.members == 1 || threadIdx.x >= 32) return 0;
  const unsigned others = team.members - 1;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  if (i / others >= kLinkReads) return 0;
  const unsigned other = i % others;
  const std::byte* const word =
      team.links[other < team.me ? other : other + 1] + i / others * kLinkStep;
  return of_peer(reinterpret_cast<const std::uint32_t*>(word));
}

__device__ inline void await_links(std::uint32_t woken) { asm volatile("" ::"r"(woken)); }

// A meeting of kernels on a GPU each, called by all threads of a cooperative grid: meet() of
// kernels/cuda/traversal/meeting.cuh.
template <typename LastWords>
__device__ bool meet(const DeviceTeamView& team, const std::uint64_t& number,
                     LastWords last_words) {
  return cuda::meet(
      team, number, [] { cuda::barrier_of_grid(); }, last_words);
}

}  // namespace bfslab::distributed
