// SPDX-License-Identifier: Apache-2.0
// Loops of grid2d kernels over bitmaps, and their launch sizes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"

namespace bfslab::distributed::grid2d {

// Returns how many halves a warp takes at a time: with many halves most are empty, and with few
// every warp should get one.
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

// Called by whole warps. A warp takes `a_turn` (1 to 32) halves at a time, one per lane; load(h)
// returns half h. For each non-zero half all lanes call visit(h, bits), which returns one value in
// all. One lane calls store(h, that value), or store(h, 0) for an empty half.
template <typename Load, typename Visit, typename Store>
__device__ void for_each_half(std::uint64_t halves, unsigned a_turn, Load&& load, Visit&& visit,
                              Store&& store) {
  const std::uint64_t step = std::uint64_t{cuda::threads_in_grid() / cuda::kWarp} * a_turn;
  const unsigned lane = cuda::lane_id();
  for (std::uint64_t first = std::uint64_t{cuda::thread_in_grid() / cuda::kWarp} * a_turn;
       first < halves; first += step) {
    const bool has = lane < a_turn && first + lane < halves;
    const half_t own_half = has ? load(first + lane) : 0;
    half_t result = 0;
    unsigned open = __ballot_sync(cuda::kAllLanes, own_half != 0);
    while (open != 0) {
      const int from = __ffs(static_cast<int>(open)) - 1;
      open &= open - 1;
      const half_t bits = __shfl_sync(cuda::kAllLanes, own_half, from);
      const half_t made = visit(first + static_cast<unsigned>(from), bits);
      if (lane == static_cast<unsigned>(from)) result = made;
    }
    if (has) store(first + lane, result);
  }
}
// The same for a visit without a result.
template <typename Load, typename Visit>
__device__ void for_each_half(std::uint64_t halves, unsigned a_turn, Load&& load, Visit&& visit) {
  const auto without_result = [&](std::uint64_t half, half_t bits) {
    visit(half, bits);
    return half_t{0};
  };
  for_each_half(halves, a_turn, load, without_result, [](std::uint64_t, half_t) {});
}

}  // namespace bfslab::distributed::grid2d
