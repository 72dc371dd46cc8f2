// The bottom-up level as a kernel: any balance, with or without async, with or without counting.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

// Dynamic shared memory: kHubSlots ids where there is a hub cache, else none.
template <typename Balance, bool kAsync, bool kCount>
__global__ void __launch_bounds__(256) bottom_up(BottomUp work) {
  extern __shared__ vertex_t hub_slots[];
  Looker<kAsync, kCount> looker{work, fill_hub_cache(work, hub_slots)};
  Balance::run(work, looker);
  looker.finish();
}

}  // namespace bfslab::cuda
