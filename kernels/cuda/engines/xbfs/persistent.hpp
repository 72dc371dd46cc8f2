// SPDX-License-Identifier: Apache-2.0
// xbfs's levels inside one cooperative kernel: `launch = persistent`.
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/engines/xbfs/work.hpp"

namespace bfslab::cuda {

using PersistentKernel = CooperativeKernel<XbfsWork>;

// One of the kernels, with its grid. All of the traversal is done when the stream gets past it; the
// reset comes before.
PersistentKernel persistent_kernel(BalanceBy balance, bool async, bool hub_cache);

}  // namespace bfslab::cuda
