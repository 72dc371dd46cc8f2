// SPDX-License-Identifier: Apache-2.0
// Binary tree in heap order: the parent of vertex v is (v - 1) / 2; frontiers double level by
// level.
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class BinaryTreeSource final : public EdgeSource {
 public:
  explicit BinaryTreeSource(vertex_t vertices)
      : EdgeSource(vertices, vertices == 0 ? 0 : vertices - edge_t{1}) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto child = static_cast<vertex_t>(first + k + 1);
      out[k] = {(child - 1) / 2, child};
    }
  }
};

}  // namespace

Generator binary_tree_generator() {
  GraphKind kind;
  kind.name = "binary_tree";
  kind.doc = "a complete binary tree in heap order: frontiers double level by level";
  kind.parameters = {vertices_parameter(0, kMaxVertices)};
  return {
      kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
        return std::make_unique<BinaryTreeSource>(static_cast<vertex_t>(graph.integer("vertices")));
      }};
}

}  // namespace bfslab
