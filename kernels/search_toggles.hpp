// SPDX-License-Identifier: Apache-2.0
// The toggles `batch` and `depth_limit`, which have one name and one meaning in every engine that
// has them. The driver reads them, too: it judges an answer up to the limit, and Graph500's
// benchmark refuses both.
#pragma once

#include <cstddef>

#include "datasets/graph/types.hpp"
#include "kernels/toggle.hpp"

namespace bfslab {

// The largest batch: a search is one bit of a word.
inline constexpr std::size_t kMaxBatch = 64;
// The limit of a search that ends only when it has reached everything.
inline constexpr level_t kNoDepthLimit = kUnreached;

Toggle batch_toggle();
Toggle depth_limit_toggle();

// Returns the number of sources that are searched together, 1 to kMaxBatch. 1 if the engine has no
// such toggle.
std::size_t batch_of(const Toggles& toggles);
// Returns the level after which a search ends: with 2, it reaches levels 0, 1 and 2.
// kNoDepthLimit if there is none, or if the engine has no such toggle.
level_t depth_limit_of(const Toggles& toggles);

}  // namespace bfslab
