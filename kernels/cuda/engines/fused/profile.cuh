// SPDX-License-Identifier: Apache-2.0
// Chooses where searches of a graph turn (level_costs.hpp), by sampled searches on the device.
#pragma once

#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/fused/kernel.cuh"
#include "kernels/cuda/engines/fused/level_costs.hpp"

namespace bfslab::cuda {

// Returns the rules of `work` with the alpha and beta that suit searches from a few vertices of
// `graph`, by best_turns(). Uses the memory of a search; all of it is done when this returns.
template <typename Offset>
FusedRules chosen_turns(const FusedKernel<Offset>& kernel, FusedWork<Offset> work,
                        const CsrGraph& graph, const FusedLevelCosts& costs, const Stream& stream);

}  // namespace bfslab::cuda
