// SPDX-License-Identifier: Apache-2.0
// Meetings (barriers) of kernels and reads of peer memory: the device side of device_team.hpp.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/meeting.cuh"
#include "kernels/distributed/communicator/device_team.hpp"

namespace bfslab::distributed {

using cuda::await_links;
using cuda::of_peer;
using cuda::wake_links;

// Reads four words from `word` on, which is aligned to 16 bytes.
__device__ __forceinline__ uint4 four_of_peer(const std::uint32_t* word) {
  return __ldcv(reinterpret_cast<const uint4*>(word));
}

// A meeting of kernels on a GPU each, called by all threads of a cooperative grid: meet() of
// kernels/cuda/traversal/meeting.cuh.
template <typename LastWords>
__device__ bool meet(const cuda::MeetingView& team, const std::uint64_t& number,
                     LastWords last_words) {
  return cuda::meet(
      team, number, [] { cuda::barrier_of_grid(); }, last_words);
}

}  // namespace bfslab::distributed
