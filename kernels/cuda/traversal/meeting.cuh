// SPDX-License-Identifier: Apache-2.0
// Meetings: barriers of all members of a search. A member is a kernel on its own GPU or, where
// members share a GPU, the blocks of one value of blockIdx.y in one cooperative launch. In both,
// blockIdx.x and gridDim.x number the blocks of a member.
#pragma once

#include <cuda/atomic>

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/meeting.hpp"

namespace bfslab::cuda {

// Reads a word of another member's memory, written before the last meeting. The load bypasses stale
// cache lines.
template <typename T>
__device__ __forceinline__ T of_peer(const T* word) {
  return *static_cast<const volatile T*>(word);
}

// Loads words over all links to the other members and so wakes idle links. The loads are still
// pending when it returns; await_links() waits for its result. Called by all threads of a grid; one
// warp per block loads.
__device__ inline std::uint32_t wake_links(const MeetingView& team) {
  if (team.members == 1 || team.links == nullptr || threadIdx.x >= 32) return 0;
  const unsigned others = team.members - 1;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  if (i / others >= kLinkReads) return 0;
  const unsigned other = i % others;
  const std::byte* const word =
      team.links[other < team.me ? other : other + 1] + i / others * kLinkStep;
  return of_peer(reinterpret_cast<const std::uint32_t*>(word));
}

__device__ inline void await_links(std::uint32_t woken) { asm volatile("" ::"r"(woken)); }

// Barrier of a member's blocks where it shares the grid with other members. `arrived` counts their
// arrivals, from 0 on and for good. A block that waits longer than a meeting may, or whose member
// has given up, goes on; then the next meeting returns false. Called by all threads of the member.
__device__ inline void barrier_of_member(const MeetingView& team, unsigned long long* arrived) {
  using Arrivals = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  stress_pause();
  __syncthreads();
  if (threadIdx.x == 0) {
    const Arrivals arrivals(*arrived);
    const unsigned long long before = arrivals.fetch_add(1, ::cuda::std::memory_order_acq_rel);
    const unsigned long long all = (before / gridDim.x + 1) * gridDim.x;
    const Word word(*team.word);
    const unsigned long long since = device_ns();
    while (arrivals.load(::cuda::std::memory_order_acquire) < all) {
      if (word.load(::cuda::std::memory_order_relaxed) == kGaveUp) break;
      if (device_ns() - since < team.limit_ns) continue;
      word.store(kGaveUp, ::cuda::std::memory_order_release);
    }
  }
  __syncthreads();
  stress_pause();
}

// Barrier of all members, called by all their threads. `number` rises by one from each meeting to
// the next. Writes before it by any thread of any member, and those of `last_words`, are visible to
// all threads after it. Returns false if a member gave up; then this and every later meeting
// returns false on all members. The threads of one block call `last_words()` after all threads of
// this member have arrived and before other members are notified. `barrier()`: of this member's
// threads.
//
// One block synchronises with the other members. The member's other blocks wait only for the word
// that it writes, without a second barrier.
template <typename Barrier, typename LastWords>
__device__ bool meet(const MeetingView& team, const std::uint64_t& number, Barrier barrier,
                     LastWords last_words) {
  using Arrived = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  barrier();
  if (team.members == 1) return true;
  bool gave_up = false;
  if (blockIdx.x != 0) {
    if (threadIdx.x == 0) {
      const Word word(*team.word);
      std::uint64_t last_meeting = word.load(::cuda::std::memory_order_acquire);
      while (last_meeting < number) last_meeting = word.load(::cuda::std::memory_order_acquire);
      gave_up = last_meeting == kGaveUp;
    }
    stress_pause();
    return __syncthreads_or(gave_up ? 1 : 0) == 0;
  }
  last_words();
  __syncthreads();
  const unsigned other = threadIdx.x;
  if (other == 0) gave_up = of_peer(team.word) == kGaveUp;  // in an earlier meeting
  if (other < team.members && other != team.me) {
    Arrived(team.arrived[other][team.me]).store(number, ::cuda::std::memory_order_release);
    const Arrived theirs(team.arrived[team.me][other]);
    const unsigned long long since = device_ns();
    std::uint64_t seen = theirs.load(::cuda::std::memory_order_acquire);
    while (seen < number && device_ns() - since < team.limit_ns) {
      __nanosleep(20);
      seen = theirs.load(::cuda::std::memory_order_acquire);
    }
    gave_up = gave_up || seen < number || seen == kGaveUp;
  }
  const bool all_gave_up = __syncthreads_or(gave_up ? 1 : 0) != 0;
  // Other members may already wait for this one in the next meeting.
  if (all_gave_up && other < team.members && other != team.me) {
    Arrived(team.arrived[other][team.me]).store(kGaveUp, ::cuda::std::memory_order_release);
  }
  if (threadIdx.x == 0) {
    Word(*team.word).store(all_gave_up ? kGaveUp : number, ::cuda::std::memory_order_release);
  }
  return !all_gave_up;
}

}  // namespace bfslab::cuda
