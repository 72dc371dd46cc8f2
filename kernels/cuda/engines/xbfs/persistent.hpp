// SPDX-License-Identifier: Apache-2.0
// xbfs's levels inside one cooperative kernel: `launch = persistent`.
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/engines/xbfs/work.hpp"

namespace bfslab::cuda {

using PersistentKernel = CooperativeKernel<XbfsWork>;

// Returns one of the kernels, with its grid. It expects a reset traversal, and completes it by the
// time the stream has passed the launch.
PersistentKernel persistent_kernel(BalanceBy balance, bool async, bool hub_cache);

}  // namespace bfslab::cuda
