// How a scan of the statuses is shared out, and where its counts lie: what the two scans of
// prefix_sum.cuh and double_scan.cuh have in common with the engine's estimate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bfslab::cuda {

struct ScanLayout {
  // prefix_sum: threads; double_scan: segments, one a lane.
  std::uint32_t parts = 0;
  std::uint32_t statuses = 0;  // double_scan: of a segment, a multiple of 128

  // Some 16 statuses a thread: the runs of a bottom-up scan are then half a cache line, and what a
  // warp reads at one stride is still in L1 for the next.
  static ScanLayout of_threads(std::size_t vertices) {
    const std::size_t wanted = (vertices / 16 + 255) / 256 * 256;
    return {static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 256, 1'048'576)), 0};
  }
  // Whole blocks of 256 lanes, each lane the owner of a segment.
  static ScanLayout of_segments(std::size_t vertices) {
    constexpr std::size_t kStep = 128;  // four ballots
    const std::size_t wanted = (vertices / kStep + 255) / 256 * 256;
    const std::size_t parts = std::clamp<std::size_t>(wanted, 256, 262'144);
    const std::size_t each = (vertices + parts * kStep - 1) / (parts * kStep) * kStep;
    return {static_cast<std::uint32_t>(parts), static_cast<std::uint32_t>(each)};
  }
};

}  // namespace bfslab::cuda
