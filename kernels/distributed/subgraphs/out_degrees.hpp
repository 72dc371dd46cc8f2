// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/making.hpp"

namespace bfslab::distributed {

// By vertex that a member owns, as the rules of the share leave the graph; there may be more
// numbers than vertices.
struct OutDegrees {
  cuda::DeviceBuffer<std::uint32_t> degrees;
  cuda::DeviceBuffer<vertex_t> only;  // the neighbour of each vertex of degree 1; empty: unwanted
};

// Collective. Throws as make_device_subgraphs() does. `with_only`: makes `only`, of graphs whose
// ids have 32 bits.
OutDegrees out_degrees(const Making& making, const Ownership& own, bool with_only = false);

}  // namespace bfslab::distributed
