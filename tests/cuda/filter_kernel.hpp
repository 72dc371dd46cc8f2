// SPDX-License-Identifier: Apache-2.0
// The filter alone in a kernel, for its test.
#pragma once

#include "kernels/cuda/frontier/candidates.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::tests {

// Filters the level's candidates into its queue: by degree class, or into one region.
void run_filter(const cuda::Traversal& work, const cuda::CandidatesView& candidates, level_t level,
                bool by_class, bool one_atomic_a_vertex, unsigned blocks, unsigned threads);

}  // namespace bfslab::tests
