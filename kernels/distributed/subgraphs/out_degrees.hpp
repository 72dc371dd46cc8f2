// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/making.hpp"

namespace bfslab::distributed {

// Returns the out-degrees of the vertices that this member owns, as the rules of the share leave
// them; there may be more numbers than vertices. Collective. Throws as make_device_subgraphs()
// does.
cuda::DeviceBuffer<std::uint32_t> out_degrees(const Making& making, const Ownership& own);

}  // namespace bfslab::distributed
