// SPDX-License-Identifier: Apache-2.0
// Complete graph: tuple (i, j) for every ordered pair i != j when directed; the builder's
// symmetrising and de-duplicating leave it unchanged.
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class CompleteSource final : public EdgeSource {
 public:
  explicit CompleteSource(vertex_t vertices)
      : EdgeSource(vertices, vertices == 0 ? 0 : edge_t{vertices} * (vertices - edge_t{1})) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    const edge_t others = vertex_count() - edge_t{1};
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto from = static_cast<vertex_t>((first + k) / others);
      const auto rank = static_cast<vertex_t>((first + k) % others);
      out[k] = {from, rank < from ? rank : rank + 1};
    }
  }
};

}  // namespace

Generator complete_generator() {
  GraphKind kind;
  kind.name = "complete";
  kind.doc = "every vertex joined to every other: one level; all edges but the tree's are wasted";
  kind.parameters = {vertices_parameter(0, 100000)};
  return {
      kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
        return std::make_unique<CompleteSource>(static_cast<vertex_t>(graph.integer("vertices")));
      }};
}

}  // namespace bfslab
