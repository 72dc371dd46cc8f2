// SPDX-License-Identifier: Apache-2.0
// Sampled searches of a graph, which show where searches of it best turn (level_costs.hpp).
#pragma once

#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/fused/kernel.cuh"
#include "kernels/cuda/engines/fused/level_costs.hpp"

namespace bfslab::cuda {

// Returns the profiles of searches from a few vertices of `graph`, which go top-down only. Uses the
// memory of a search; all of it is done when this returns.
template <typename Offset>
std::vector<FusedProfile> sampled_searches(const FusedKernel<Offset>& kernel,
                                           FusedWork<Offset> work, const CsrGraph& graph,
                                           const Stream& stream);

}  // namespace bfslab::cuda
