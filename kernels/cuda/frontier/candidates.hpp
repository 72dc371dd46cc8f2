// SPDX-License-Identifier: Apache-2.0
// The memory of the filter (frontier/filter.cuh): a list of candidates, which may hold a vertex
// many times, and the bitmap of queued vertices.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

struct CandidatesView {
  vertex_t* entries = nullptr;      // [edges + 1] of the next level
  std::uint32_t* queued = nullptr;  // [ceil(n / 32)] bit v: a filter has queued v

#ifdef __CUDACC__
  // Clears the bitmap's share of the reset (traversal/reset.cuh).
  __device__ void clear(std::size_t thread, std::size_t threads, vertex_t vertices) const {
    const std::size_t words = (std::size_t{vertices} + 31) / 32;
    for (std::size_t w = thread; w < words; w += threads) queued[w] = 0;
  }
  __device__ void place(vertex_t source, LevelSlot& first) const {
    entries[0] = source;
    first.candidates = 1;
  }
#endif
};

class Candidates {
 public:
  Candidates() = default;
  // `edges`: adjacency entries. Throws Unsupported if 32 bits cannot count them, with `setting` in
  // the message; OutOfDeviceMemory.
  Candidates(const char* setting, std::size_t vertices, edge_t edges);

  [[nodiscard]] CandidatesView view() const { return {entries_.data(), queued_.data()}; }
  [[nodiscard]] std::uint64_t list_bytes() const { return entries_.bytes(); }
  [[nodiscard]] std::uint64_t bitmap_bytes() const { return queued_.bytes(); }

 private:
  DeviceBuffer<vertex_t> entries_;
  DeviceBuffer<std::uint32_t> queued_;
};

}  // namespace bfslab::cuda
