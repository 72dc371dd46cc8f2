// The bottom-up level: any balance, with or without async, with or without counting.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

// All threads of the grid. `hub_slots`: kHubSlots ids of shared memory where there is a hub cache.
template <typename Balance, bool kAsync, bool kCount>
__device__ void look_up(const BottomUp& work, vertex_t* hub_slots) {
  Looker<kAsync, kCount> looker{work, fill_hub_cache(work, hub_slots)};
  Balance::run(work, looker);
  looker.finish();
}

}  // namespace bfslab::cuda
