// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/traversal/queues.hpp"

namespace bfslab::cuda {

QueueView WholeQueue::view_by_degree(const CsrGraph& graph) const {
  std::uint32_t count[kDegreeClasses] = {};
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) ++count[degree_class(graph.degree(v))];
  QueueView queue = view();
  for (int c = 1; c < kDegreeClasses; ++c) {
    queue.region[c] = queue.region[c - 1] + count[c - 1];
  }
  return queue;
}

}  // namespace bfslab::cuda
