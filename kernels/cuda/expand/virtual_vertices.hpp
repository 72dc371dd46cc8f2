// SPDX-License-Identifier: Apache-2.0
// Tigr's virtual split transformation (Nodehi Sabet et al., ASPLOS 2018, section 4). The graph
// stays as it is. Each vertex stands for enough virtual vertices to hold its edges at `split` edges
// each, so that a thread per virtual vertex never walks far.
//
// Cost: 4 bytes per virtual vertex and 4 per vertex, made once at load; each level that scans all
// virtual vertices also looks up their vertices' statuses. Wins where degrees differ by orders of
// magnitude and levels are few.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/items.hpp"

namespace bfslab::cuda {

struct VirtualVertices {
  DeviceBuffer<vertex_t> vertex;      // [items] the vertex of a virtual vertex, ascending
  DeviceBuffer<std::uint32_t> first;  // [n + 1] the first virtual vertex of a vertex
  std::uint32_t split = 0;

  [[nodiscard]] Items view(bool strided) const {
    return {static_cast<std::uint32_t>(vertex.size()), vertex.data(), first.data(), split, strided};
  }
  [[nodiscard]] std::uint64_t bytes() const { return vertex.bytes() + first.bytes(); }
};

// Splits each vertex into ceil(degree / split) virtual vertices; `split` >= 1. Returns when they
// are complete. Throws InputError if 32 bits cannot count them, and OutOfDeviceMemory.
VirtualVertices split_vertices(const CsrView& graph, std::uint32_t split, const Stream& stream);

}  // namespace bfslab::cuda
