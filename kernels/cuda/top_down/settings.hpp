// SPDX-License-Identifier: Apache-2.0
// One configuration of a search, in every build: its parts, its sizes, and the memory that they
// take. The toggles of `dfq` cover all of it, those of `tigr` one corner.
#pragma once

#include <cstdint>

#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/engine.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

struct TopDownSettings {
  Frontier frontier;
  const ExpansionPart* expand = &expansion("virtual_warp");
  bool one_atomic_a_vertex = false;  // else one per warp
  std::uint32_t capacity = 2048;     // entries of a CTA's queue; 0: all its shared memory
  Reserve reserve = Reserve::exact;  // of decentralized queues
  bool scan_by_block = false;        // else interleaved (traversal/item_scan.cuh)
  unsigned ctas = 0;                 // 0: all that the device runs at once
  unsigned threads = 1024;           // of a CTA
  unsigned width = 32;               // lanes of an expansion that has a width
  unsigned split = 0;                // maximum edges of a virtual vertex; 0: vertices are whole
  bool strided = true;               // virtual vertices of a vertex take turns at its edges
  bool persistent = true;            // else one launch per level

  [[nodiscard]] bool streams() const { return frontier.queue == Queue::decentralized; }
  [[nodiscard]] bool materialises() const { return !streams() && frontier.queue != Queue::none; }
  [[nodiscard]] bool by_class() const { return expand->takes == Takes::classes; }
};

// Returns the GPU memory of the parts beyond the graph and the answer, in bytes, for estimates.
double search_part_bytes(const TopDownSettings& settings, const GraphFacts& facts);
// The same with the graph and the answer.
double search_bytes(const TopDownSettings& settings, const GraphFacts& facts, Answer answer);

}  // namespace bfslab::cuda
