// SPDX-License-Identifier: Apache-2.0
// Path 0 - 1 - 2 - ...: the deepest graph of its size, one vertex per level.
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class PathSource final : public EdgeSource {
 public:
  explicit PathSource(vertex_t vertices)
      : EdgeSource(vertices, vertices == 0 ? 0 : vertices - edge_t{1}) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto v = static_cast<vertex_t>(first + k);
      out[k] = {v, v + 1};
    }
  }
};

}  // namespace

Generator path_generator() {
  GraphKind kind;
  kind.name = "path";
  kind.doc = "a path: as many levels as vertices when started at vertex 0";
  kind.parameters = {vertices_parameter(0, kMaxVertices)};
  return {kind,
          [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            return std::make_unique<PathSource>(static_cast<vertex_t>(graph.integer("vertices")));
          },
          [](const Recipe& graph) { return graph.integer("vertices"); }};
}

}  // namespace bfslab
