// SPDX-License-Identifier: Apache-2.0
// Graphs with a chosen number of vertices and edges and degrees that follow a truncated power law
// (after Chung and Lu, PNAS 2002): the stand-ins for real graphs that are unavailable. No vertex is
// isolated, as none is in an edge list, and there are no self-loops. Ids say nothing about
// degrees.
#include "datasets/generate/power_law.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bfslab {

namespace {

class PowerLawSource final : public EdgeSource {
 public:
  PowerLawSource(const PowerLawShape& shape, std::uint64_t seed)
      : EdgeSource(shape.vertices, shape.edges),
        reversed_(shape.reversed()),
        key_(derive_key(seed, 8)),
        weights_(shape.vertices, shape.exponent, shape.offset),
        permutation_(shape.vertices, derive_key(seed, 9)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    const edge_t originals = size() - reversed_;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const edge_t i = first + k;
      if (i < originals) {
        out[k] = original(i);
      } else {
        const Edge edge = original(i - reversed_);
        out[k] = {edge.to, edge.from};
      }
    }
  }

 private:
  [[nodiscard]] vertex_t drawn(std::uint64_t counter) const {
    return permutation_(weights_.draw(counter_random(key_, counter)));
  }
  [[nodiscard]] Edge original(edge_t i) const {
    const vertex_t from = i < vertex_count() ? static_cast<vertex_t>(i) : drawn(2 * i);
    vertex_t to = drawn(2 * i + 1);
    if (to == from) to = to + 1 == vertex_count() ? 0 : to + 1;  // no self-loop
    return {from, to};
  }

  edge_t reversed_;
  std::uint64_t key_;
  RankWeights weights_;
  RangePermutation permutation_;
};

}  // namespace

edge_t PowerLawShape::reversed() const {
  return static_cast<edge_t>(std::floor(static_cast<double>(edges) * reciprocal * 0.5));
}

GraphParameter exponent_parameter(const char* name, const char* doc) {
  return {name, GraphParameter::Kind::real, {}, 1.25, 1000, "2.5", doc};
}

GraphParameter offset_parameter(const char* name, const char* doc) {
  return {name, GraphParameter::Kind::integer, {}, 0, kMaxVertices, "0", doc};
}

Generator power_law_generator() {
  GraphKind kind;
  kind.name = "power_law";
  kind.doc =
      "degrees that follow a truncated power law, no isolated vertex: stands in for real graphs "
      "(`bfslab graph calibrate` finds the parameters)";
  kind.parameters = {
      vertices_parameter(2, kMaxVertices),
      edges_parameter(1),
      exponent_parameter("exponent",
                         "of the degree distribution; the larger, the more uniform the degrees"),
      offset_parameter("offset", "flattens the head of the weights, which bounds the degrees"),
      {"reciprocal",
       GraphParameter::Kind::real,
       {},
       0,
       1,
       "0",
       "share of the edges whose reverse also exists"},
      seed_parameter(),
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            PowerLawShape shape;
            shape.vertices = static_cast<vertex_t>(graph.integer("vertices"));
            shape.edges = graph.integer("edges");
            shape.exponent = graph.real("exponent");
            shape.offset = graph.integer("offset");
            shape.reciprocal = graph.real("reciprocal");
            if (shape.edges - shape.reversed() < shape.vertices) {
              throw InputError(fmt::format(
                  "{} edges, {} of them reverses of others, do not reach {} vertices; raise edges",
                  shape.edges, shape.reversed(), shape.vertices));
            }
            return std::make_unique<PowerLawSource>(shape, graph.integer("seed"));
          }};
}

}  // namespace bfslab
