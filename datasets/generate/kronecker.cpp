// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/kronecker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

constexpr unsigned kMaxScale = 31;       // of a graph that can be made: vertex_t has 32 bits
constexpr unsigned kMaxNamedScale = 36;  // the last of scalable-bfs, Figure 7

std::vector<std::uint64_t> quadrant_weights(double a, double b, double c, unsigned levels) {
  const std::array<double, 4> quadrant = {a, b, c, std::max(0.0, ((1.0 - a) - b) - c)};
  // Products only, and one rounding: no compiler can contract them into a different result.
  std::vector<std::uint64_t> weights(std::size_t{1} << (2 * levels));
  for (std::size_t slot = 0; slot < weights.size(); ++slot) {
    double product = 1;
    for (unsigned level = 0; level < levels; ++level) {
      const std::size_t row = (slot >> level) & 1;
      const std::size_t column = (slot >> (levels + level)) & 1;
      product *= quadrant[2 * row + column];
    }
    weights[slot] = static_cast<std::uint64_t>(std::llround(std::ldexp(product, 32)));
  }
  fill_up(weights);
  return weights;
}

}  // namespace

GraphParameter Quadrants::parameter(const char* name, const char* default_value, const char* doc) {
  return {name, GraphParameter::Kind::real, {}, 0, 1, default_value, doc};
}

Quadrants::Quadrants(const Recipe& graph)
    : a(graph.real("a")), b(graph.real("b")), c(graph.real("c")) {
  if (a + b + c > 1 + 1e-12) {
    throw InputError(fmt::format("a + b + c is {} and must not exceed 1", a + b + c));
  }
}

QuadrantTable::QuadrantTable(double a, double b, double c, unsigned levels)
    : levels_(levels), table_(quadrant_weights(a, b, c, levels)) {}

// If nothing is left over after the full blocks, the last table is never used.
QuadrantDescent::QuadrantDescent(unsigned levels, double a, double b, double c, std::uint64_t key)
    : levels_(levels),
      blocks_((levels + kLevels - 1) / kLevels),
      key_(key),
      full_(a, b, c, kLevels),
      rest_(a, b, c, levels % kLevels == 0 ? 1 : levels % kLevels) {}

void QuadrantDescent::draw(edge_t first, std::span<std::uint32_t> rows,
                           std::span<std::uint32_t> columns) const {
  // One simple loop per step, so that the compiler vectorises each.
  std::array<std::uint64_t, kBatch> words;
  const std::size_t size = rows.size();
  const unsigned words_per_tuple = (blocks_ + 1) / 2;  // one 64-bit word feeds two draws
  const auto descend = [&](const QuadrantTable& table, unsigned shift) {
    const unsigned levels = table.levels();
    const AliasView alias = table.view().table;
    const std::uint32_t row_mask = (1U << levels) - 1;
    for (std::size_t k = 0; k < size; ++k) {
      const std::uint32_t drawn = alias.draw(static_cast<std::uint32_t>(words[k] >> shift));
      rows[k] = (rows[k] << levels) | (drawn & row_mask);
      columns[k] = (columns[k] << levels) | (drawn >> levels);
    }
  };
  std::ranges::fill(rows, 0U);
  std::ranges::fill(columns, 0U);
  const unsigned full_blocks = levels_ / kLevels;
  for (unsigned block = 0; block < blocks_; ++block) {
    if (block % 2 == 0) {
      for (std::size_t k = 0; k < size; ++k) {
        words[k] = counter_random(key_, (first + k) * words_per_tuple + block / 2);
      }
    }
    descend(block < full_blocks ? full_ : rest_, block % 2 * 32);
  }
}

DescentView QuadrantDescent::view() const {
  return {key_, levels_ / kLevels, levels_ % kLevels != 0, full_.view(), rest_.view()};
}

KroneckerSource::KroneckerSource(unsigned scale, edge_t edge_factor, double a, double b, double c,
                                 std::uint64_t seed)
    : QuadrantSource(vertex_t{1} << scale, edge_factor << scale),
      scale_(scale),
      descent_(scale, a, b, c, derive_key(seed, 1)),
      permutation_(scale, derive_key(seed, 2)) {}

void KroneckerSource::fill(edge_t first, std::span<Edge> out) const {
  std::array<std::uint32_t, QuadrantDescent::kBatch> rows;
  std::array<std::uint32_t, QuadrantDescent::kBatch> columns;
  while (!out.empty()) {
    const std::size_t size = std::min(rows.size(), out.size());
    descent_.draw(first, std::span(rows).first(size), std::span(columns).first(size));
    for (std::size_t k = 0; k < size; ++k) {
      out[k] = {permutation_(rows[k]), permutation_(columns[k])};
    }
    first += size;
    out = out.subspan(size);
  }
}

QuadrantTuples KroneckerSource::tuples() const {
  return {size(), vertex_count(),  scale_,
          true,   descent_.view(), RangePermutation(vertex_count(), permutation_)};
}

Generator kronecker_generator() {
  GraphKind kind;
  kind.name = "kronecker";
  kind.doc = "Graph500's Kronecker (R-MAT) graph: 2^scale vertices, skewed degrees, permuted ids";
  kind.parameters = {
      {"scale",
       GraphParameter::Kind::integer,
       {},
       1,
       kMaxNamedScale,
       "",
       "log2 of the number of vertices; above 31 for estimates alone"},
      {"edge_factor", GraphParameter::Kind::integer, {}, 1, 1024, "16", "input edges per vertex"},
      Quadrants::parameter("a", "0.57", "probability of the upper left quadrant"),
      Quadrants::parameter("b", "0.19", "probability of the upper right quadrant"),
      Quadrants::parameter("c", "0.19", "probability of the lower left quadrant"),
      seed_parameter(),
  };
  const auto make = [](const Recipe& graph) -> std::unique_ptr<EdgeSource> {
    const auto [a, b, c] = Quadrants(graph);
    const std::uint64_t scale = graph.integer("scale");
    if (scale > kMaxScale) {
      throw InputError(fmt::format(
          "a graph of 2^{} vertices cannot be made, since ids of 32 bits suffice up to scale {}: "
          "choose scale={} or less, or estimate it with degree-separation and method=expect",
          scale, kMaxScale, kMaxScale));
    }
    return std::make_unique<KroneckerSource>(
        static_cast<unsigned>(scale), graph.integer("edge_factor"), a, b, c, graph.integer("seed"));
  };
  const auto size = [](const Recipe& graph) -> RecipeSize {
    static_cast<void>(Quadrants(graph));
    const std::uint64_t scale = graph.integer("scale");
    return {std::uint64_t{1} << scale, graph.integer("edge_factor") << scale};
  };
  return {kind, make, {}, size};
}

}  // namespace bfslab
