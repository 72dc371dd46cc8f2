// SPDX-License-Identifier: Apache-2.0
// Star: vertex 0 joined to every other, the extreme of a hub.
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class StarSource final : public EdgeSource {
 public:
  explicit StarSource(vertex_t vertices)
      : EdgeSource(vertices, vertices == 0 ? 0 : vertices - edge_t{1}) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = {0, static_cast<vertex_t>(first + k + 1)};
    }
  }
};

}  // namespace

Generator star_generator() {
  GraphKind kind;
  kind.name = "star";
  kind.doc = "vertex 0 joined to every other: one hub, two levels";
  kind.parameters = {vertices_parameter(0, kMaxVertices)};
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            return std::make_unique<StarSource>(static_cast<vertex_t>(graph.integer("vertices")));
          }};
}

}  // namespace bfslab
