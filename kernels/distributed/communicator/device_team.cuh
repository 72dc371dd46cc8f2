// SPDX-License-Identifier: Apache-2.0
// Meetings of kernels, and what they read of each other: the device's side of device_team.hpp.
#pragma once

#include <cuda/atomic>

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/distributed/communicator/device_team.hpp"

namespace bfslab::distributed {

// A word of another GPU's memory that its kernel has written before the last meeting: never from a
// cache that was filled before.
template <typename T>
__device__ __forceinline__ T of_peer(const T* word) {
  return *static_cast<const volatile T*>(word);
}

// Four of them from `word` on, a multiple of 16 bytes.
__device__ __forceinline__ uint4 four_of_peer(const std::uint32_t* word) {
  return __ldcv(reinterpret_cast<const uint4*>(word));
}

// Asks for words that pass over all links to the other members, and so wakes those that sleep. What
// it returns is on its way still: whoever hands it to await_links() has waited for them. All
// threads of a grid, of which one warp of each block asks.
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

// All members' kernels come to meeting `number`, which rises by one from each to the next: what any
// thread of any of them wrote before, `last_words` included, is there for all threads after. False:
// a member gave up, and so do all, now and in every meeting after it. `last_words()` is called by
// the threads of one block, after all threads of this grid came and before others are told. All
// threads of a cooperative grid.
//
// One block meets the other members; the others of the grid, which have come, wait for its word
// alone, and not for one another once more.
template <typename LastWords>
__device__ bool meet(const DeviceTeamView& team, const std::uint64_t& number,
                     LastWords last_words) {
  constexpr std::uint64_t kGaveUp = ~std::uint64_t{0};
  using Arrived = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  cuda::barrier_of_grid();
  if (team.members == 1) return true;
  bool gave_up = false;
  if (blockIdx.x != 0) {
    if (threadIdx.x == 0) {
      const Word word(*team.word);
      std::uint64_t said = word.load(::cuda::std::memory_order_acquire);
      while (said < number) said = word.load(::cuda::std::memory_order_acquire);
      gave_up = said == kGaveUp;
    }
    cuda::stress_pause();
    return __syncthreads_or(gave_up ? 1 : 0) == 0;
  }
  last_words();
  __syncthreads();
  const unsigned other = threadIdx.x;
  if (other == 0) gave_up = of_peer(team.word) == kGaveUp;  // in a meeting before
  if (other < team.members && other != team.me) {
    Arrived(team.arrived[other][team.me]).store(number, ::cuda::std::memory_order_release);
    const Arrived theirs(team.arrived[team.me][other]);
    const unsigned long long since = cuda::device_ns();
    std::uint64_t seen = theirs.load(::cuda::std::memory_order_acquire);
    while (seen < number && cuda::device_ns() - since < team.limit_ns) {
      __nanosleep(20);
      seen = theirs.load(::cuda::std::memory_order_acquire);
    }
    gave_up = gave_up || seen < number || seen == kGaveUp;
  }
  const bool all_gave_up = __syncthreads_or(gave_up ? 1 : 0) != 0;
  // The others may wait for this member already in the next meeting.
  if (all_gave_up && other < team.members && other != team.me) {
    Arrived(team.arrived[other][team.me]).store(kGaveUp, ::cuda::std::memory_order_release);
  }
  if (threadIdx.x == 0) {
    Word(*team.word).store(all_gave_up ? kGaveUp : number, ::cuda::std::memory_order_release);
  }
  return !all_gave_up;
}

}  // namespace bfslab::distributed
