// SPDX-License-Identifier: Apache-2.0
// When `fused` with order = auto gives vertices ids by degree.
#pragma once

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// Where no vertex has more neighbours than this, ids by degree bring nothing together.
inline constexpr edge_t kFewNeighbors = 32;

}  // namespace bfslab::cuda
