// SPDX-License-Identifier: Apache-2.0
// Graphs with a chosen number of vertices and edges and degrees that follow a truncated power law
// (after Chung and Lu, PNAS 2002): the stand-ins for real graphs that are unavailable. No vertex is
// isolated, as none is in an edge list, and there are no self-loops. The vertices may form
// communities (communities.hpp), tails make the graph deep (tails.hpp), and ids are random or in
// the order of a crawl. The vertices of tails have the last ids.
#include "datasets/generate/power_law.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bfslab {

namespace {

class PowerLawSource final : public EdgeSource {
 public:
  PowerLawSource(const PowerLawShape& shape, Tails tails, std::uint64_t seed)
      : EdgeSource(shape.vertices, shape.edges),
        core_(shape.vertices - static_cast<vertex_t>(tails.vertices())),
        core_edges_(shape.edges - tails.vertices()),
        reversed_(shape.reversed()),
        key_(derive_key(seed, 8)),
        weights_(core_, shape.exponent, shape.offset),
        communities_(shape.communities, core_, seed, 9),
        own_by_id_(shape.communities.count == 1),
        tails_(std::move(tails)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    const edge_t originals = core_edges_ - reversed_;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const edge_t i = first + k;
      if (i < originals) {
        out[k] = original(i);
      } else if (i < core_edges_) {
        const Edge edge = original(i - reversed_);
        out[k] = {edge.to, edge.from};
      } else {
        out[k] = of_tail(i - core_edges_);
      }
    }
  }

 private:
  [[nodiscard]] vertex_t drawn(std::uint64_t counter) const {
    return weights_.draw(counter_random(key_, counter));
  }
  // The first `core_` tuples give each vertex its own, by rank. With one community no rank is
  // needed, and by id is the same.
  [[nodiscard]] Edge original(edge_t i) const {
    const bool own = i < core_;
    const vertex_t rank = own ? static_cast<vertex_t>(i) : drawn(2 * i);
    const vertex_t from = own && own_by_id_ ? rank : communities_.id(rank);
    vertex_t partner = drawn(2 * i + 1);
    if (communities_.is_local(i)) partner = communities_.moved(partner, communities_.of(rank));
    vertex_t to = communities_.id(partner);
    if (to == from) to = to + 1 == core_ ? 0 : to + 1;  // no self-loop
    return {from, to};
  }
  [[nodiscard]] Edge of_tail(edge_t i) const {
    const Tails::Place place = tails_.place(i);
    const auto to = static_cast<vertex_t>(core_ + i);
    if (place.step > 0) return {to - 1, to};
    return {communities_.id(static_cast<vertex_t>(core_ - 1 - place.tail)), to};
  }

  vertex_t core_;  // vertices that are on no tail
  edge_t core_edges_;
  edge_t reversed_;
  std::uint64_t key_;
  RankWeights weights_;
  Communities communities_;
  bool own_by_id_;
  Tails tails_;
};

void check_edges(const PowerLawShape& shape) {
  const std::uint64_t core = shape.vertices - shape.tail_vertices;
  if (shape.edges < shape.tail_vertices ||
      shape.edges - shape.tail_vertices - shape.reversed() < core) {
    throw InputError(fmt::format(
        "{} edges, {} of them reverses of others, do not reach {} vertices; raise edges",
        shape.edges, shape.reversed(), shape.vertices));
  }
}

std::unique_ptr<EdgeSource> make_power_law(const Recipe& graph) {
  Tails tails = tails_of(graph);
  PowerLawShape shape;
  shape.vertices = static_cast<vertex_t>(graph.integer("vertices"));
  shape.edges = graph.integer("edges");
  shape.exponent = graph.real("exponent");
  shape.offset = graph.integer("offset");
  shape.reciprocal = graph.real("reciprocal");
  shape.communities = community_shape(graph);
  shape.tails = tails.count();
  shape.tail_vertices = tails.vertices();
  check_vertices(shape);
  check_edges(shape);
  return std::make_unique<PowerLawSource>(shape, std::move(tails), graph.integer("seed"));
}

}  // namespace

void check_vertices(const PowerLawShape& shape) {
  if (shape.tail_vertices + shape.tails >= shape.vertices) {
    throw InputError(fmt::format(
        "{} tails of {} vertices together hang on as many other vertices, which the graph of {} "
        "vertices does not have; lower tails or tail_length",
        shape.tails, shape.tail_vertices, shape.vertices));
  }
  shape.communities.check(shape.vertices - shape.tail_vertices, "vertices without tails");
}

edge_t PowerLawShape::reversed() const {
  if (edges < tail_vertices) return 0;
  return static_cast<edge_t>(
      std::floor(static_cast<double>(edges - tail_vertices) * reciprocal * 0.5));
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
  for (const auto& more : {community_parameters(), tail_parameters()}) {
    kind.parameters.insert(kind.parameters.end(), more.begin(), more.end());
  }
  return {kind, make_power_law};
}

}  // namespace bfslab
