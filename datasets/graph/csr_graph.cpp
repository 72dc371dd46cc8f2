// SPDX-License-Identifier: Apache-2.0
#include "datasets/graph/csr_graph.hpp"

#include <numeric>
#include <utility>

namespace bfslab {

CsrGraph::CsrGraph(CsrArrays arrays, bool symmetric, GraphIdentity identity, Provenance provenance)
    : arrays_(std::move(arrays)),
      vertex_count_(
          arrays_.row_offsets.empty() ? 0 : static_cast<vertex_t>(arrays_.row_offsets.size() - 1)),
      input_edge_count_(
          std::accumulate(arrays_.input_edges.begin(), arrays_.input_edges.end(), edge_t{0})),
      symmetric_(symmetric),
      identity_(std::move(identity)),
      provenance_(std::move(provenance)) {}

}  // namespace bfslab
