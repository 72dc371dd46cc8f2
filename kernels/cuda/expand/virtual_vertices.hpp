// SPDX-License-Identifier: Apache-2.0
// Tigr's virtual split transformation (Nodehi Sabet et al., ASPLOS 2018, section 4): the
// graph stays as it is, and each vertex stands for as many virtual ones as its edges need at
// `split` edges each, so that a thread a virtual vertex never walks far.
//
// Cost: 4 bytes a virtual vertex and 4 a vertex, made once at load; a virtual vertex adds a look at
// its vertex's status to each level that scans them all. Wins where degrees differ by orders of
// magnitude and levels are few.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/items.hpp"

namespace bfslab::cuda {

struct VirtualVertices {
  DeviceBuffer<vertex_t> vertex;      // [items] whose edges a virtual vertex shares, ascending
  DeviceBuffer<std::uint32_t> first;  // [n + 1] where a vertex's virtual ones begin
  std::uint32_t split = 0;

  [[nodiscard]] Items view(bool strided) const {
    return {static_cast<std::uint32_t>(vertex.size()), vertex.data(), first.data(), split, strided};
  }
  [[nodiscard]] std::uint64_t bytes() const { return vertex.bytes() + first.bytes(); }
};

// A vertex gets ceil(degree / split) virtual vertices; `split` >= 1. Returns when they are there.
// Throws InputError where they are more than 32 bits count, and OutOfDeviceMemory.
VirtualVertices split_vertices(const CsrView& graph, std::uint32_t split, const Stream& stream);

}  // namespace bfslab::cuda
