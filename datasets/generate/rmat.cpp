// SPDX-License-Identifier: Apache-2.0
// R-MAT with free parameters (Chakrabarti et al., SDM 2004), without noise on them. cs406,
// section 1, names two such graphs of 2^24 vertices and 16 edges per vertex: rmat-er with four
// equal quadrants, rmat-b with skewed ones (its values are not printed; 0.55, 0.15, 0.15 are
// the usual ones for rmat-b in the graph-colouring literature, where the names come from).
#include <algorithm>
#include <array>
#include <bit>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/generate/kronecker.hpp"

namespace bfslab {

namespace {

// A power of two of vertices takes exactly its logarithm of levels. Any other number n takes eight
// levels more, and cell x of 2^levels belongs to vertex x * n / 2^levels: every vertex owns 256 to
// 512 consecutive cells, so that equal quadrants stay equal to within 1/256, and nothing is
// rejected.
class RmatSource final : public QuadrantSource {
 public:
  RmatSource(vertex_t vertices, edge_t edges, double a, double b, double c, bool permute,
             std::uint64_t seed)
      : QuadrantSource(vertices, edges),
        levels_(levels(vertices)),
        permute_(permute),
        descent_(levels_, a, b, c, derive_key(seed, 6)),
        permutation_(vertices, derive_key(seed, 7)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    std::array<std::uint32_t, QuadrantDescent::kBatch> rows;
    std::array<std::uint32_t, QuadrantDescent::kBatch> columns;
    while (!out.empty()) {
      const std::size_t size = std::min(rows.size(), out.size());
      descent_.draw(first, std::span(rows).first(size), std::span(columns).first(size));
      for (std::size_t k = 0; k < size; ++k) out[k] = {vertex(rows[k]), vertex(columns[k])};
      first += size;
      out = out.subspan(size);
    }
  }
  [[nodiscard]] QuadrantTuples tuples() const override {
    return {size(), vertex_count(), levels_, permute_, descent_.view(), permutation_};
  }

 private:
  static unsigned levels(vertex_t vertices) {
    const auto bits = static_cast<unsigned>(std::bit_width(vertices - 1));
    return std::has_single_bit(vertices) ? std::max(1U, bits) : std::min(32U, bits + 8);
  }
  [[nodiscard]] vertex_t vertex(std::uint32_t cell) const {
    const auto v = static_cast<vertex_t>((std::uint64_t{cell} * vertex_count()) >> levels_);
    return permute_ ? permutation_(v) : v;
  }

  unsigned levels_;
  bool permute_;
  QuadrantDescent descent_;
  RangePermutation permutation_;
};

}  // namespace

Generator rmat_generator() {
  GraphKind kind;
  kind.name = "rmat";
  kind.doc =
      "R-MAT with free parameters over any number of vertices; a=b=c=0.25 is cs406's rmat-er, the "
      "defaults are its rmat-b";
  kind.parameters = {
      vertices_parameter(1, kMaxVertices),
      edges_parameter(0),
      Quadrants::parameter("a", "0.55", "probability of the upper left quadrant"),
      Quadrants::parameter("b", "0.15", "probability of the upper right quadrant"),
      Quadrants::parameter("c", "0.15",
                           "probability of the lower left quadrant; the fourth has the rest"),
      {"permute",
       GraphParameter::Kind::choice,
       {"true", "false"},
       0,
       0,
       "true",
       "relabel at random; false leaves the vertices of high degree at the front"},
      seed_parameter(),
  };
  return {kind, [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
            const auto [a, b, c] = Quadrants(graph);
            return std::make_unique<RmatSource>(
                static_cast<vertex_t>(graph.integer("vertices")), graph.integer("edges"), a, b, c,
                graph.value("permute") == "true", graph.integer("seed"));
          }};
}

}  // namespace bfslab
