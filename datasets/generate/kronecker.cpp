#include "datasets/generate/kronecker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/generate/generator.hpp"

namespace bfslab {

QuadrantTable::QuadrantTable(double a, double b, double c, unsigned levels)
    : levels_(levels),
      fraction_bits_(32 - 2 * levels),
      fraction_mask_(static_cast<std::uint32_t>((std::uint64_t{1} << fraction_bits_) - 1)),
      slots_(std::size_t{1} << (2 * levels)) {
  const std::size_t count = slots_.size();
  const std::array<double, 4> quadrant = {a, b, c, std::max(0.0, ((1.0 - a) - b) - c)};
  // Products only, and one rounding: no compiler can contract them into something else.
  std::vector<std::uint64_t> weight(count);
  std::uint64_t sum = 0;
  for (std::size_t slot = 0; slot < count; ++slot) {
    double product = 1;
    for (unsigned level = 0; level < levels; ++level) {
      const std::size_t row = (slot >> level) & 1;
      const std::size_t column = (slot >> (levels + level)) & 1;
      product *= quadrant[2 * row + column];
    }
    weight[slot] = static_cast<std::uint64_t>(std::llround(std::ldexp(product, 32)));
    sum += weight[slot];
  }
  const auto largest = std::max_element(weight.begin(), weight.end());
  *largest += (std::uint64_t{1} << 32) - sum;  // modulo 2^64: the remainder may be negative

  // Fill each slot to 2^fraction_bits exactly: one's own weight, then a share of a larger one's.
  const std::uint64_t capacity = std::uint64_t{1} << fraction_bits_;
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    (weight[slot] < capacity ? small : large).push_back(slot);
  }
  while (!small.empty()) {  // the weights sum to count * capacity, so a larger one remains
    const std::uint32_t under = small.back();
    small.pop_back();
    const std::uint32_t over = large.back();
    slots_[under] = weight[under] | std::uint64_t{over} << 32;
    weight[over] -= capacity - weight[under];
    if (weight[over] < capacity) {
      large.pop_back();
      small.push_back(over);
    }
  }
  for (const std::uint32_t slot : large) {
    slots_[slot] = fraction_mask_ | std::uint64_t{slot} << 32;
  }
}

KroneckerSource::KroneckerSource(unsigned scale, edge_t edge_factor, double a, double b, double c,
                                 std::uint64_t seed)
    : EdgeSource(vertex_t{1} << scale, edge_factor << scale),
      scale_(scale),
      blocks_((scale + kLevels - 1) / kLevels),
      key_(derive_key(seed, 1)),
      full_(a, b, c, kLevels),
      rest_(a, b, c, scale % kLevels),
      permutation_(scale, derive_key(seed, 2)) {}

void KroneckerSource::fill(edge_t first, std::span<Edge> out) const {
  // Batches, and one simple loop a step, so that the compiler turns each into vector code.
  constexpr std::size_t kBatch = 512;
  std::array<std::uint64_t, kBatch> words;
  std::array<std::uint32_t, kBatch> rows;
  std::array<std::uint32_t, kBatch> columns;
  const unsigned words_per_tuple = (blocks_ + 1) / 2;  // one 64-bit word feeds two draws
  const auto descend = [&](const QuadrantTable& table, unsigned shift, std::size_t size) {
    const unsigned levels = table.levels();
    const std::uint32_t row_mask = (1U << levels) - 1;
    for (std::size_t k = 0; k < size; ++k) {
      const std::uint32_t drawn = table.draw(static_cast<std::uint32_t>(words[k] >> shift));
      rows[k] = (rows[k] << levels) | (drawn & row_mask);
      columns[k] = (columns[k] << levels) | (drawn >> levels);
    }
  };
  const unsigned full_blocks = scale_ / kLevels;
  while (!out.empty()) {
    const std::size_t size = std::min(kBatch, out.size());
    rows.fill(0);
    columns.fill(0);
    for (unsigned block = 0; block < blocks_; ++block) {
      if (block % 2 == 0) {
        for (std::size_t k = 0; k < size; ++k) {
          words[k] = counter_random(key_, (first + k) * words_per_tuple + block / 2);
        }
      }
      descend(block < full_blocks ? full_ : rest_, block % 2 * 32, size);
    }
    for (std::size_t k = 0; k < size; ++k) {
      out[k] = {permutation_(rows[k]), permutation_(columns[k])};
    }
    first += size;
    out = out.subspan(size);
  }
}

Generator kronecker_generator() {
  const auto probability = [](const char* name, const char* value, const char* doc) {
    return GraphParameter{name, GraphParameter::Kind::real, {}, 0, 1, value, doc};
  };
  GraphKind kind;
  kind.name = "kronecker";
  kind.doc = "Graph500's Kronecker (R-MAT) graph: 2^scale vertices, skewed degrees, permuted ids";
  kind.parameters = {
      {"scale", GraphParameter::Kind::integer, {}, 1, 31, "", "log2 of the number of vertices"},
      {"edge_factor", GraphParameter::Kind::integer, {}, 1, 1024, "16", "input edges a vertex"},
      probability("a", "0.57", "probability of the upper left quadrant"),
      probability("b", "0.19", "probability of the upper right quadrant"),
      probability("c", "0.19", "probability of the lower left quadrant"),
      seed_parameter(),
  };
  return {kind, [](const GraphName& name) -> std::unique_ptr<EdgeSource> {
            const double a = real_value(name, "a");
            const double b = real_value(name, "b");
            const double c = real_value(name, "c");
            if (a + b + c > 1 + 1e-12) {
              throw InputError(fmt::format("a + b + c is {} and must not exceed 1", a + b + c));
            }
            return std::make_unique<KroneckerSource>(
                static_cast<unsigned>(integer_value(name, "scale")),
                integer_value(name, "edge_factor"), a, b, c, integer_value(name, "seed"));
          }};
}

}  // namespace bfslab
