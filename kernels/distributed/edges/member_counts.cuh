// SPDX-License-Identifier: Apache-2.0
// How many things of a block go to each member: counted in its shared memory, so that one global
// addition a member and block is left, whether they are only counted or get their places.
#pragma once

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

}  // namespace bfslab::distributed
