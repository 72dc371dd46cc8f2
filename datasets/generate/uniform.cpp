// SPDX-License-Identifier: Apache-2.0
// Uniform random multigraph: both endpoints of every tuple are drawn independently and uniformly
// (Erdos-Renyi G(n, m) with repetition; R-MAT with four equal quadrants when n is a power of two,
// which is cs406's rmat-er).
#include "datasets/build/counter_random.hpp"
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class UniformSource final : public EdgeSource {
 public:
  UniformSource(vertex_t vertices, edge_t edge_factor, std::uint64_t seed)
      : EdgeSource(vertices, vertices * edge_factor), key_(derive_key(seed, 3)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const edge_t i = first + k;
      out[k] = {
          static_cast<vertex_t>(below(counter_random(key_, 2 * i), vertex_count())),
          static_cast<vertex_t>(below(counter_random(key_, 2 * i + 1), vertex_count())),
      };
    }
  }

 private:
  std::uint64_t key_;
};

}  // namespace

Generator uniform_generator() {
  GraphKind kind;
  kind.name = "uniform";
  kind.doc = "endpoints drawn independently and uniformly: no hubs, small diameter";
  kind.parameters = {
      vertices_parameter(0, kMaxVertices),
      {"edge_factor", GraphParameter::Kind::integer, {}, 0, 1024, "16", "input edges per vertex"},
      seed_parameter(),
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            return std::make_unique<UniformSource>(static_cast<vertex_t>(graph.integer("vertices")),
                                                   graph.integer("edge_factor"),
                                                   graph.integer("seed"));
          }};
}

}  // namespace bfslab
