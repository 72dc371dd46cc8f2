// SPDX-License-Identifier: Apache-2.0
// The kernel of `fused`: a search in one launch, or some of its levels for a host that watches.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/engines/fused/work.hpp"

namespace bfslab::cuda {

// Arguments: the work; where it is (nothing where it begins); whether it begins, which resets; and
// how many levels to run at most.
template <typename Offset>
using FusedKernel = CooperativeKernel<FusedWork<Offset>, Progress, bool, level_t>;

// `hot_words`: of the frontier's bits that a block keeps in shared memory; becomes what the device
// has room for. `counts`: edges that bottom-up checks, and those of what it finds, for whoever
// asks.
template <typename Offset>
FusedKernel<Offset> fused_kernel(std::uint32_t& hot_words, bool counts);

}  // namespace bfslab::cuda
