// SPDX-License-Identifier: Apache-2.0
// A hub with leaves, and a chain attached to it: the extremes of degree and of depth in one
// graph. Vertex 0 is the hub, 1 .. spokes its leaves, and spokes + 1 .. spokes + length the chain.
#include <fmt/format.h>

#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class HubAndChainSource final : public EdgeSource {
 public:
  HubAndChainSource(vertex_t spokes, vertex_t length)
      : EdgeSource(1 + spokes + length, edge_t{spokes} + length), spokes_(spokes) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto v = static_cast<vertex_t>(first + k + 1);
      out[k] = {v <= spokes_ + 1 ? 0 : v - 1, v};
    }
  }

 private:
  vertex_t spokes_;
};

}  // namespace

Generator hub_and_chain_generator() {
  GraphKind kind;
  kind.name = "hub_and_chain";
  kind.doc = "a hub with leaves at the head of a chain: the extremes of degree and depth together";
  kind.parameters = {
      {"spokes", GraphParameter::Kind::integer, {}, 0, kMaxVertices, "", "leaves of the hub"},
      {"length", GraphParameter::Kind::integer, {}, 0, kMaxVertices, "", "vertices of the chain"},
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            const std::uint64_t spokes = graph.integer("spokes");
            const std::uint64_t length = graph.integer("length");
            if (1 + spokes + length > static_cast<std::uint64_t>(kMaxVertices)) {
              throw InputError(fmt::format(
                  "1 + {} + {} vertices exceed {}; choose fewer spokes or a shorter chain", spokes,
                  length, static_cast<std::uint64_t>(kMaxVertices)));
            }
            return std::make_unique<HubAndChainSource>(static_cast<vertex_t>(spokes),
                                                       static_cast<vertex_t>(length));
          }};
}

}  // namespace bfslab
