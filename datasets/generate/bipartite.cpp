// SPDX-License-Identifier: Apache-2.0
// Bipartite graphs in which the degrees of either side follow a truncated power law:
// authors and papers, pages and trackers. Vertices 0 .. left-1 are one side, the others the other;
// every edge goes from left to right, and no vertex is isolated. Programs that read such a file as
// a list of edges take the sides' ids for one: with ids=shared, vertex v is number v of both sides.
#include <fmt/format.h>

#include <algorithm>

#include "datasets/generate/power_law.hpp"

namespace bfslab {

namespace {

class BipartiteSource final : public EdgeSource {
 public:
  BipartiteSource(const BipartiteShape& shape, std::uint64_t seed)
      : EdgeSource(static_cast<vertex_t>(shape.vertices()), shape.edges),
        left_(shape.left),
        own_(edge_t{shape.left} + shape.right),
        right_begin_(shape.one_id_space ? 0 : shape.left),
        own_by_id_(shape.communities.count == 1),
        key_(derive_key(seed, 10)),
        left_weights_(shape.left, shape.left_exponent, shape.left_offset),
        right_weights_(shape.right, shape.right_exponent, shape.right_offset),
        left_ids_(shape.communities, shape.left, seed, 11),
        right_ids_(shape.communities, shape.right, seed, 12) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = edge(first + k);
  }

 private:
  [[nodiscard]] Edge edge(edge_t i) const {
    const bool own_left = i < left_;
    const bool own_right = !own_left && i < own_;
    vertex_t left =
        own_left ? static_cast<vertex_t>(i) : left_weights_.draw(counter_random(key_, 2 * i));
    vertex_t right = own_right ? static_cast<vertex_t>(i - left_)
                               : right_weights_.draw(counter_random(key_, 2 * i + 1));
    if (left_ids_.is_local(i)) {
      if (own_right) {
        left = left_ids_.moved(left, right_ids_.of(right));
      } else {
        right = right_ids_.moved(right, left_ids_.of(left));
      }
    }
    // With one community an own vertex's rank is not needed, and by id is the same.
    return {own_left && own_by_id_ ? left : left_ids_.id(left),
            right_begin_ + (own_right && own_by_id_ ? right : right_ids_.id(right))};
  }

  vertex_t left_;
  edge_t own_;            // tuples that give a vertex its own edge
  vertex_t right_begin_;  // id of the right side's first vertex
  bool own_by_id_;
  std::uint64_t key_;
  RankWeights left_weights_;
  RankWeights right_weights_;
  Communities left_ids_;
  Communities right_ids_;
};

std::unique_ptr<EdgeSource> make_bipartite(const Recipe& graph) {
  BipartiteShape shape;
  const std::uint64_t left = graph.integer("left");
  const std::uint64_t right = graph.integer("right");
  shape.edges = graph.integer("edges");
  if (left + right > static_cast<std::uint64_t>(kMaxVertices)) {
    throw InputError(fmt::format("{} + {} vertices exceed {}", left, right,
                                 static_cast<std::uint64_t>(kMaxVertices)));
  }
  if (shape.edges < left + right) {
    throw InputError(
        fmt::format("{} edges do not reach {} vertices; raise edges", shape.edges, left + right));
  }
  shape.left = static_cast<vertex_t>(left);
  shape.right = static_cast<vertex_t>(right);
  shape.left_exponent = graph.real("left_exponent");
  shape.left_offset = graph.integer("left_offset");
  shape.right_exponent = graph.real("right_exponent");
  shape.right_offset = graph.integer("right_offset");
  shape.communities = community_shape(graph);
  shape.communities.check(std::min(left, right), "vertices of the smaller side");
  shape.one_id_space = graph.value("ids") == "shared";
  return std::make_unique<BipartiteSource>(shape, graph.integer("seed"));
}

}  // namespace

std::uint64_t BipartiteShape::vertices() const {
  return one_id_space ? std::max(left, right) : std::uint64_t{left} + right;
}

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
      {"ids",
       GraphParameter::Kind::choice,
       {"apart", "shared"},
       0,
       0,
       "apart",
       "apart: the right side's follow the left side's; shared: both sides count from 0, and a "
       "vertex is one of either",
       true},
  };
  for (GraphParameter& parameter : community_parameters()) {
    kind.parameters.push_back(std::move(parameter));
  }
  return {kind, make_bipartite};
}

}  // namespace bfslab
