// SPDX-License-Identifier: Apache-2.0
// Road-like graph: junctions on a grid, joined by roads that are chains of vertices of degree two.
// Connected and deep, with exactly the given counts; stands in for europe_osm.
//
// Each junction but the first is joined to its left or its upper neighbour, chosen at
// random (there is only one on the border): a spanning tree. Of the joints that were not chosen, as
// many are added as `edges` requires: a connected graph has edges - vertices + 1 independent
// cycles. The vertices that are not junctions are distributed evenly over the roads.
#include <fmt/format.h>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

class RoadsSource final : public EdgeSource {
 public:
  RoadsSource(std::uint64_t width, std::uint64_t height, vertex_t vertices, edge_t edges,
              std::uint64_t seed)
      : EdgeSource(vertices, edges),
        width_(width),
        junctions_(width * height),
        key_(derive_key(seed, 13)),
        spare_(width > 1 && height > 1 ? (width - 1) * (height - 1) : 1, derive_key(seed, 14)) {
    const std::uint64_t roads = junctions_ - 1 + (edges - (vertices - edge_t{1}));
    const std::uint64_t between = vertices - junctions_;
    short_ = roads == 0 ? 0 : between / roads;
    longer_ = roads == 0 ? 0 : between % roads;
  }

  void fill(edge_t first, std::span<Edge> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = edge(first + k);
  }

 private:
  // The first `longer_` roads have short_ + 1 vertices between their ends, the others short_.
  [[nodiscard]] Edge edge(edge_t i) const {
    const edge_t in_longer = longer_ * (short_ + 2);
    const bool is_longer = i < in_longer;
    const std::uint64_t length = short_ + (is_longer ? 2 : 1);  // edges of this road
    const std::uint64_t road = is_longer ? i / length : longer_ + (i - in_longer) / length;
    const std::uint64_t step = (is_longer ? i : i - in_longer) % length;
    const std::uint64_t inner = junctions_ + road * short_ + std::min<std::uint64_t>(road, longer_);
    const auto [from, to] = ends(road);
    return {step == 0 ? from : static_cast<vertex_t>(inner + step - 1),
            step + 1 == length ? to : static_cast<vertex_t>(inner + step)};
  }
  [[nodiscard]] bool goes_left(std::uint64_t junction) const {
    if (junction < width_) return true;
    if (junction % width_ == 0) return false;
    return (counter_random(key_, junction) >> 63) != 0;
  }
  [[nodiscard]] Edge ends(std::uint64_t road) const {
    bool left = false;
    std::uint64_t junction = road + 1;
    if (road < junctions_ - 1) {
      left = goes_left(junction);
    } else {
      const std::uint64_t cell = spare_(static_cast<std::uint32_t>(road - (junctions_ - 1)));
      junction = (cell / (width_ - 1) + 1) * width_ + cell % (width_ - 1) + 1;
      left = !goes_left(junction);
    }
    return {static_cast<vertex_t>(left ? junction - 1 : junction - width_),
            static_cast<vertex_t>(junction)};
  }

  std::uint64_t width_;
  std::uint64_t junctions_;
  std::uint64_t short_ = 0;
  std::uint64_t longer_ = 0;
  std::uint64_t key_;
  RangePermutation spare_;
};

}  // namespace

Generator roads_generator() {
  GraphKind kind;
  kind.name = "roads";
  kind.doc = "junctions on a grid joined by chains: road-like, connected, deep, with exact counts";
  kind.parameters = {
      vertices_parameter(1, kMaxVertices),
      edges_parameter(0),
      {"width", GraphParameter::Kind::integer, {}, 1, 65535, "", "junctions per row"},
      {"height", GraphParameter::Kind::integer, {}, 1, 65535, "", "rows of junctions"},
      seed_parameter(),
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            const std::uint64_t vertices = graph.integer("vertices");
            const std::uint64_t edges = graph.integer("edges");
            const std::uint64_t width = graph.integer("width");
            const std::uint64_t height = graph.integer("height");
            if (width * height > vertices) {
              throw InputError(
                  fmt::format("{} x {} junctions exceed {} vertices", width, height, vertices));
            }
            const std::uint64_t most = vertices - 1 + (width - 1) * (height - 1);
            if (edges + 1 < vertices || edges > most || (width * height == 1 && vertices > 1)) {
              throw InputError(fmt::format(
                  "{0} edges cannot make a connected graph of {1} vertices with {2} x {3} "
                  "junctions; it takes {4} to {5} edges, and 2 junctions or more",
                  edges, vertices, width, height, vertices - 1, most));
            }
            return std::make_unique<RoadsSource>(width, height, static_cast<vertex_t>(vertices),
                                                 edges, graph.integer("seed"));
          }};
}

}  // namespace bfslab
