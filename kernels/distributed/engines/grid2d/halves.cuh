// SPDX-License-Identifier: Apache-2.0
// How kernels of grid2d go through bitmaps, and how many threads they get.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"

namespace bfslab::distributed::grid2d {

// How many halves a warp takes at a time: most are empty where there are many, and where there are
// few every warp is to have one.
inline unsigned halves_a_turn(std::uint64_t halves) {
  const std::uint64_t warps = std::uint64_t{cuda::full_grid()} * cuda::kBlockThreads / cuda::kWarp;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(halves / (4 * warps), 1, std::uint64_t{cuda::kWarp}));
}
inline unsigned blocks_for_halves(std::uint64_t halves, unsigned a_turn) {
  return cuda::blocks_for((halves + a_turn - 1) / a_turn * cuda::kWarp);
}

template <typename... Kernels>
void load_now(Kernels... kernels) {
  cudaFuncAttributes attributes{};
  (BFSLAB_CUDA(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernels))), ...);
}

// All warps of the grid, whole ones. A warp takes `a_turn` (1 to 32) halves at a time, a lane each:
// load(h) is half h. Of each that is not zero all lanes together call visit(h, bits); what that
// returns, the same in all lanes, store(h, value) is given by one lane, and 0 of the others.
template <typename Load, typename Visit, typename Store>
__device__ void for_each_half(std::uint64_t halves, unsigned a_turn, Load&& load, Visit&& visit,
                              Store&& store) {
  const std::uint64_t step = std::uint64_t{cuda::threads_in_grid() / cuda::kWarp} * a_turn;
  const unsigned lane = cuda::lane_id();
  for (std::uint64_t first = std::uint64_t{cuda::thread_in_grid() / cuda::kWarp} * a_turn;
       first < halves; first += step) {
    const bool has = lane < a_turn && first + lane < halves;
    const half_t mine = has ? load(first + lane) : 0;
    half_t result = 0;
    unsigned open = __ballot_sync(cuda::kAllLanes, mine != 0);
    while (open != 0) {
      const int from = __ffs(static_cast<int>(open)) - 1;
      open &= open - 1;
      const half_t bits = __shfl_sync(cuda::kAllLanes, mine, from);
      const half_t made = visit(first + static_cast<unsigned>(from), bits);
      if (lane == static_cast<unsigned>(from)) result = made;
    }
    if (has) store(first + lane, result);
  }
}
// The same where a visit has no result.
template <typename Load, typename Visit>
__device__ void for_each_half(std::uint64_t halves, unsigned a_turn, Load&& load, Visit&& visit) {
  const auto without_result = [&](std::uint64_t half, half_t bits) {
    visit(half, bits);
    return half_t{0};
  };
  for_each_half(halves, a_turn, load, without_result, [](std::uint64_t, half_t) {});
}

}  // namespace bfslab::distributed::grid2d
