// SPDX-License-Identifier: Apache-2.0
// Grid: width x height vertices, each joined to its right and its lower neighbour; a share of the
// edges is removed at random. With about 0.3 removed it is shaped like a road network: degrees of
// two to three, a diameter of thousands, and small parts cut off.
#include <fmt/format.h>

#include <cmath>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

// A tuple is a function of its position alone, so removed edges cannot leave gaps in the sequence.
// Exactly floor(removed * edges) of them are therefore left out by a random bijection of the edge
// numbers: tuple i is edge number permutation(i), i < kept.
class GridSource final : public EdgeSource {
 public:
  GridSource(std::uint64_t width, std::uint64_t height, double removed, std::uint64_t seed)
      : EdgeSource(static_cast<vertex_t>(width * height), kept(edges(width, height), removed)),
        width_(width),
        rights_(width == 0 ? 0 : (width - 1) * height),
        edges_(edges(width, height)),
        whole_(removed <= 0),
        permutation_(static_cast<unsigned>(std::bit_width(edges_ == 0 ? 0 : edges_ - 1)),
                     derive_key(seed, 4)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = edge(number(first + k));
  }

  static edge_t edges(std::uint64_t width, std::uint64_t height) {
    return width == 0 || height == 0 ? 0 : (width - 1) * height + width * (height - 1);
  }

 private:
  static edge_t kept(edge_t edges, double removed) {
    return edges - static_cast<edge_t>(std::floor(static_cast<double>(edges) * removed));
  }
  // Walks the permutation's cycle until it is among the edges again: a bijection on 0 .. edges-1.
  [[nodiscard]] edge_t number(edge_t i) const {
    if (whole_) return i;
    auto x = permutation_(static_cast<std::uint32_t>(i));
    while (x >= edges_) x = permutation_(x);
    return x;
  }
  [[nodiscard]] Edge edge(edge_t number) const {
    if (number < rights_) {
      const edge_t row = number / (width_ - 1);
      const auto v = static_cast<vertex_t>(row * width_ + number % (width_ - 1));
      return {v, v + 1};
    }
    const auto v = static_cast<vertex_t>(number - rights_);
    return {v, static_cast<vertex_t>(v + width_)};
  }

  std::uint64_t width_;
  edge_t rights_;  // edges to the right come first, those downwards after them
  edge_t edges_;
  bool whole_;
  BitPermutation permutation_;
};

}  // namespace

Generator grid_generator() {
  const auto side = [](const char* name, const char* doc) {
    return GraphParameter{name, GraphParameter::Kind::integer, {}, 0, kMaxVertices, "", doc};
  };
  GraphKind kind;
  kind.name = "grid";
  kind.doc = "width x height grid, edges removed at random: road-like, deep";
  kind.parameters = {
      side("width", "vertices per row"),
      side("height", "rows"),
      {"removed", GraphParameter::Kind::real, {}, 0, 1, "0", "share of the edges removed"},
      seed_parameter(),
  };
  return {kind,
          [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            const std::uint64_t width = graph.integer("width");
            const std::uint64_t height = graph.integer("height");
            // The permutation works on 32-bit edge numbers, and there are two edges per vertex.
            if (height != 0 && width > (std::uint64_t{1} << 31) / height) {
              throw InputError(fmt::format(
                  "{} x {} vertices exceed 2^31; choose a smaller width or height", width, height));
            }
            return std::make_unique<GridSource>(width, height, graph.real("removed"),
                                                graph.integer("seed"));
          },
          [](const Recipe& graph) { return graph.integer("width") + graph.integer("height"); }};
}

}  // namespace bfslab
