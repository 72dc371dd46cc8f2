// SPDX-License-Identifier: Apache-2.0
// Bipartite graphs in which the degrees of either side follow a truncated power law:
// authors and papers, pages and trackers. Vertices 0 .. left-1 are one side, the others the other;
// every edge goes from left to right, and no vertex is isolated.
#include <fmt/format.h>

#include "datasets/generate/power_law.hpp"

namespace bfslab {

namespace {

class BipartiteSource final : public EdgeSource {
 public:
  BipartiteSource(const BipartiteShape& shape, std::uint64_t seed)
      : EdgeSource(shape.left + shape.right, shape.edges),
        left_(shape.left),
        key_(derive_key(seed, 10)),
        left_weights_(shape.left, shape.left_exponent, shape.left_offset),
        right_weights_(shape.right, shape.right_exponent, shape.right_offset),
        left_permutation_(shape.left, derive_key(seed, 11)),
        right_permutation_(shape.right, derive_key(seed, 12)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const edge_t i = first + k;
      out[k] = {i < left_ ? static_cast<vertex_t>(i) : left(2 * i),
                i >= left_ && i < vertex_count() ? static_cast<vertex_t>(i) : right(2 * i + 1)};
    }
  }

 private:
  [[nodiscard]] vertex_t left(std::uint64_t counter) const {
    return left_permutation_(left_weights_.draw(counter_random(key_, counter)));
  }
  [[nodiscard]] vertex_t right(std::uint64_t counter) const {
    return left_ + right_permutation_(right_weights_.draw(counter_random(key_, counter)));
  }

  vertex_t left_;
  std::uint64_t key_;
  RankWeights left_weights_;
  RankWeights right_weights_;
  RangePermutation left_permutation_;
  RangePermutation right_permutation_;
};

}  // namespace

Generator bipartite_generator() {
  GraphKind kind;
  kind.name = "bipartite";
  kind.doc =
      "edges between two sides only; the degrees of each follow a truncated power law; no isolated "
      "vertex";
  kind.parameters = {
      {"left", GraphParameter::Kind::integer, {}, 1, kMaxVertices, "", "vertices of one side"},
      {"right", GraphParameter::Kind::integer, {}, 1, kMaxVertices, "", "vertices of the other"},
      edges_parameter(1),
      exponent_parameter("left_exponent", "of the left side's degrees"),
      offset_parameter("left_offset", "flattens the head of the left side's weights"),
      exponent_parameter("right_exponent", "of the right side's degrees"),
      offset_parameter("right_offset", "flattens the head of the right side's weights"),
      seed_parameter(),
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            BipartiteShape shape;
            const std::uint64_t left = graph.integer("left");
            const std::uint64_t right = graph.integer("right");
            shape.edges = graph.integer("edges");
            if (left + right > static_cast<std::uint64_t>(kMaxVertices)) {
              throw InputError(fmt::format("{} + {} vertices exceed {}", left, right,
                                           static_cast<std::uint64_t>(kMaxVertices)));
            }
            if (shape.edges < left + right) {
              throw InputError(fmt::format("{} edges do not reach {} vertices; raise edges",
                                           shape.edges, left + right));
            }
            shape.left = static_cast<vertex_t>(left);
            shape.right = static_cast<vertex_t>(right);
            shape.left_exponent = graph.real("left_exponent");
            shape.left_offset = graph.integer("left_offset");
            shape.right_exponent = graph.real("right_exponent");
            shape.right_offset = graph.integer("right_offset");
            return std::make_unique<BipartiteSource>(shape, graph.integer("seed"));
          }};
}

}  // namespace bfslab
