// SPDX-License-Identifier: Apache-2.0
// A stored EdgeList as an EdgeSource.
#pragma once

#include <algorithm>

#include "datasets/build/edge_source.hpp"

namespace bfslab {

class ListSource final : public EdgeSource {
 public:
  // `list` outlives the source; the builder consumes its edges.
  explicit ListSource(EdgeList& list)
      : EdgeSource(list.vertex_count, list.edges.size()), edges_(list.edges.span()) {}

  [[nodiscard]] bool stored() const override { return true; }
  [[nodiscard]] std::span<Edge> consumable() const override { return edges_; }
  void fill(edge_t first, std::span<Edge> out) const override {
    std::copy_n(edges_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  }

 private:
  std::span<Edge> edges_;
};

}  // namespace bfslab
