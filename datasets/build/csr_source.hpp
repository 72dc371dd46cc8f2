// SPDX-License-Identifier: Apache-2.0
// A CSR read as a list of its reversed entries, so that the builder can transpose it.
#pragma once

#include <algorithm>

#include "datasets/build/edge_source.hpp"
#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

class ReversedCsrSource final : public EdgeSource {
 public:
  // `graph` outlives the source.
  explicit ReversedCsrSource(const CsrGraph& graph)
      : EdgeSource(graph.vertex_count(), graph.edge_count()), graph_(graph) {}

  [[nodiscard]] bool stored() const override { return true; }
  void fill(edge_t first, std::span<Edge> out) const override {
    const auto offsets = graph_.row_offsets();
    const auto columns = graph_.columns();
    // The row of entry `first`: the last one that begins at or before it.
    auto row = static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), first) -
                                        offsets.begin() - 1);
    for (std::size_t k = 0; k < out.size(); ++k) {
      while (offsets[row + 1] <= first + k) ++row;
      out[k] = {columns[first + k], static_cast<vertex_t>(row)};
    }
  }

 private:
  const CsrGraph& graph_;
};

}  // namespace bfslab
