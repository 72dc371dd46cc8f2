// SPDX-License-Identifier: Apache-2.0
// Enterprise's four degree classes, the "degree-based approach" of XBFS, section 5.1.1: vertices
// that are expanded by a thread, a warp, a block and the whole grid.
#pragma once

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

inline constexpr int kDegreeClasses = 4;
inline constexpr edge_t kWarpDegree = 32;
inline constexpr edge_t kBlockDegree = 256;
inline constexpr edge_t kGridDegree = 65536;

BFSLAB_HOST_DEVICE constexpr int degree_class(edge_t degree) {
  return degree < kWarpDegree ? 0 : degree < kBlockDegree ? 1 : degree < kGridDegree ? 2 : 3;
}

}  // namespace bfslab::cuda
