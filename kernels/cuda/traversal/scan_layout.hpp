// SPDX-License-Identifier: Apache-2.0
// The division of a scan of the statuses, and the places of its counts. The two scans of
// prefix_sum.cuh and double_scan.cuh share this with the engine's estimate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "datasets/graph/host_device.hpp"

namespace bfslab::cuda {

// The grid of a scan that fills bins, and of the kernels of a degree class, whatever the graph and
// the GPU: that of Enterprise's public code.
inline constexpr unsigned kBinBlocks = 256;
inline constexpr unsigned kBinBlockThreads = 256;
inline constexpr unsigned kBinThreads = kBinBlocks * kBinBlockThreads;

struct ScanLayout {
  // prefix_sum: threads; double_scan: segments, one per lane.
  std::uint32_t parts = 0;
  std::uint32_t statuses = 0;  // double_scan: per segment, a multiple of 32

  // About 16 statuses per thread: the runs of a bottom-up scan are then half a cache line, and what
  // a warp reads at one stride is still in L1 for the next.
  static ScanLayout of_threads(std::size_t vertices) {
    const std::size_t wanted = (vertices / 16 + 255) / 256 * 256;
    return {static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 256, 1'048'576)), 0};
  }
  // A bin holds all vertices of its thread, should they be of one class.
  static std::uint32_t room_of_bin(std::size_t vertices) {
    return static_cast<std::uint32_t>((vertices + kBinThreads - 1) / kBinThreads);
  }
  // Whole blocks of 256 lanes, each the owner of a segment. Short segments give many warps.
  static ScanLayout of_segments(std::size_t vertices) {
    constexpr std::size_t kBallot = 32;
    const std::size_t wanted = (vertices / kBallot + 255) / 256 * 256;
    const std::size_t parts = std::clamp<std::size_t>(wanted, 256, 262'144);
    return {static_cast<std::uint32_t>(parts), segment_of(vertices, parts)};
  }
  // Returns the statuses per segment if `parts` segments share all of them.
  BFSLAB_HOST_DEVICE static std::uint32_t segment_of(std::size_t vertices, std::size_t parts) {
    constexpr std::size_t kBallot = 32;
    const std::size_t step = parts * kBallot;
    return static_cast<std::uint32_t>((vertices + step - 1) / step * kBallot);
  }
};

}  // namespace bfslab::cuda
