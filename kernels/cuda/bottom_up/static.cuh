// SPDX-License-Identifier: Apache-2.0
// Static balance (XBFS, section 5.1.2): one queue, and one thread per vertex whatever its degree,
// since a bottom-up row is seldom read to its end. Thread t takes the entries t, t + T, ...
//
// Cost: 4 bytes of queue and 16 of offsets per vertex, one random status word per look. No
// counters; loses where a few rows are read whole.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct StaticBalance {
  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    look_by_threads(work, looker, [](unsigned first) { return first + threads_in_grid(); });
  }
};

}  // namespace bfslab::cuda
