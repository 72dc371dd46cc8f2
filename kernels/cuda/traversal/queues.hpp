// SPDX-License-Identifier: Apache-2.0
// The materialised frontier: vertex queues in global memory, as a whole or by degree class.
//
// A queue is one array, cut into one region per class (or into a single one). A vertex enters a
// level's queue at most once. A region as large as its class therefore never overflows.
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

// A queue with all classes in one region.
class WholeQueue {
 public:
  WholeQueue() = default;
  explicit WholeQueue(std::size_t entries) : entries_(entries) {}

  [[nodiscard]] QueueView view() const { return {entries_.data(), {}}; }
  // Returns a view with one region per degree class of `graph`, whose vertices are the entries.
  [[nodiscard]] QueueView view_by_degree(const CsrGraph& graph) const {
    std::uint32_t count[kDegreeClasses] = {};
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) ++count[degree_class(graph.degree(v))];
    QueueView queue = view();
    for (int c = 1; c < kDegreeClasses; ++c) queue.region[c] = queue.region[c - 1] + count[c - 1];
    return queue;
  }
  [[nodiscard]] std::uint64_t bytes() const { return entries_.bytes(); }

 private:
  DeviceBuffer<vertex_t> entries_;
};

}  // namespace bfslab::cuda
