// SPDX-License-Identifier: Apache-2.0
// How many things of a block go to each member: counted in its shared memory, so that one global
// addition a member and block is left, whether they are only counted or get their places.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/threads.cuh"

namespace bfslab::distributed {

struct MemberCounts {
  using Total = unsigned long long;  // as atomicAdd takes it

  unsigned* of_block = nullptr;  // [members] shared
  unsigned members = 0;

  // Each by all threads of the block. Nothing is added before clear().
  __device__ void clear() const {
    for (unsigned m = threadIdx.x; m < members; m += blockDim.x) of_block[m] = 0;
    __syncthreads();
  }
  __device__ void add_to(Total* totals) const {
    __syncthreads();
    for (unsigned m = threadIdx.x; m < members; m += blockDim.x) {
      if (of_block[m] > 0) atomicAdd(totals + m, Total{of_block[m]});
    }
  }
  // Takes room for all that was added where `next` says that each member's list goes on:
  // at[m], shared, is where the block's begin. Clears the counts.
  __device__ void take_room(Total* next, Total* at) const {
    __syncthreads();
    for (unsigned m = threadIdx.x; m < members; m += blockDim.x) {
      const unsigned count = of_block[m];
      at[m] = count > 0 ? atomicAdd(next + m, Total{count}) : 0;
      of_block[m] = 0;
    }
    __syncthreads();
  }

  // By a thread: how many came before these.
  __device__ unsigned add(unsigned member, unsigned count = 1) const {
    return atomicAdd(of_block + member, count);
  }
};

// Adds up how many items there are for each member. items(i, emit) calls emit(member, item) for the
// items of i < items.size(), in the same way at each call. Dynamic shared memory: 4 bytes a member.
template <typename Items>
__global__ void count_items(const __grid_constant__ Items items, unsigned members,
                            MemberCounts::Total* totals) {
  extern __shared__ MemberCounts::Total of_members[];
  const MemberCounts sizes{reinterpret_cast<unsigned*>(of_members), members};
  sizes.clear();
  const std::uint64_t all = items.size();
  for (std::uint64_t i = cuda::thread_in_grid(); i < all; i += cuda::threads_in_grid()) {
    items(i, [&sizes](unsigned to, const auto& /*item*/) { sizes.add(to); });
  }
  sizes.add_to(totals);
}

// Puts the items where `next` says that each member's list goes on. A block takes room for those of
// all its threads at once. Dynamic shared memory: 12 bytes a member.
template <typename Items, typename Item>
__global__ void put_items(const __grid_constant__ Items items, unsigned members,
                          MemberCounts::Total* next, Item* lists) {
  extern __shared__ MemberCounts::Total of_members[];
  MemberCounts::Total* const at = of_members;
  const MemberCounts sizes{reinterpret_cast<unsigned*>(of_members + members), members};
  const std::uint64_t all = items.size();
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x; first < all;
       first += cuda::threads_in_grid()) {
    const std::uint64_t i = first + threadIdx.x;
    sizes.clear();
    if (i < all) {
      items(i, [&sizes](unsigned to, const auto& /*item*/) { sizes.add(to); });
    }
    sizes.take_room(next, at);
    if (i < all) {
      items(i, [&](unsigned to, const Item& item) { lists[at[to] + sizes.add(to)] = item; });
    }
    __syncthreads();
  }
}

}  // namespace bfslab::distributed
