// SPDX-License-Identifier: Apache-2.0
// The materialised frontier: vertex queues in global memory, as a whole or by degree class.
//
// A queue is one array, cut into a region a class (or into a single one). A vertex enters a level's
// queue at most once, so a region with an entry for each of the graph's vertices of its class never
// overflows.
#pragma once

#include <cstdint>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/traversal/degree_class.hpp"

namespace bfslab::cuda {

struct QueueView {
  vertex_t* entries = nullptr;
  std::uint32_t region[kDegreeClasses] = {};  // where each class begins
};

// A queue of all classes in one region.
class WholeQueue {
 public:
  WholeQueue() = default;
  explicit WholeQueue(std::size_t entries) : entries_(entries) {}

  [[nodiscard]] QueueView view() const { return {entries_.data(), {}}; }
  // With a region for each class of the degrees of `graph`, whose vertices are the entries.
  [[nodiscard]] QueueView view_by_degree(const CsrGraph& graph) const;
  [[nodiscard]] std::uint64_t bytes() const { return entries_.bytes(); }

 private:
  DeviceBuffer<vertex_t> entries_;
};

}  // namespace bfslab::cuda
