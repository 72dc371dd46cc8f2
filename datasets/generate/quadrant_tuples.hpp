// SPDX-License-Identifier: Apache-2.0
// The tuples of a Kronecker or R-MAT graph, one at a time and as plain data, so that a GPU can
// generate them by itself. Integer arithmetic on (key, i) only: bit for bit what fill() generates
// in batches.
#pragma once

#include <cstdint>

#include "datasets/build/counter_random.hpp"
#include "datasets/build/edge_source.hpp"
#include "datasets/generate/alias_table.hpp"
#include "datasets/graph/host_device.hpp"

namespace bfslab {

// The position that a descent has reached in the adjacency matrix.
struct Cell {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

// `levels` levels at once: slot k of the table stands for row bits k % 2^levels and column bits
// k / 2^levels.
struct QuadrantView {
  unsigned levels = 1;
  AliasView table;

  BFSLAB_HOST_DEVICE void descend(std::uint32_t word, Cell& cell) const {
    const std::uint32_t drawn = table.draw(word);
    cell.row = (cell.row << levels) | (drawn & ((1U << levels) - 1));
    cell.column = (cell.column << levels) | (drawn >> levels);
  }
};

// The whole descent: `full_draws` times by `full`, and once by `rest` if levels are left over.
struct DescentView {
  std::uint64_t key = 0;
  unsigned full_draws = 0;
  bool has_rest = false;
  QuadrantView full;
  QuadrantView rest;

  // Tuple i before any relabelling.
  [[nodiscard]] BFSLAB_HOST_DEVICE Cell operator()(edge_t i) const {
    const unsigned draws = full_draws + (has_rest ? 1 : 0);
    const std::uint64_t first_word = i * ((draws + 1) / 2);  // one 64-bit word feeds two draws
    std::uint64_t word = 0;
    const auto next = [&](unsigned draw) {
      word = draw % 2 == 0 ? counter_random(key, first_word + draw / 2) : word >> 32;
      return static_cast<std::uint32_t>(word);
    };
    Cell cell;
    for (unsigned draw = 0; draw < full_draws; ++draw) full.descend(next(draw), cell);
    if (has_rest) rest.descend(next(full_draws), cell);
    return cell;
  }
};

struct QuadrantTuples {
  edge_t count;
  vertex_t vertex_count;
  unsigned cell_bits;  // cell x of 2^cell_bits belongs to vertex x * vertex_count / 2^cell_bits
  bool permute;
  DescentView descent;
  RangePermutation permutation;

  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t vertex(std::uint32_t cell) const {
    const auto v = static_cast<vertex_t>((std::uint64_t{cell} * vertex_count) >> cell_bits);
    return permute ? permutation(v) : v;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE Edge operator()(edge_t i) const {
    const Cell cell = descent(i);
    return {vertex(cell.row), vertex(cell.column)};
  }
};

// A generator of such tuples.
class QuadrantSource : public EdgeSource {
 public:
  using EdgeSource::EdgeSource;
  // Its tables lie in the source: valid as long as that is.
  [[nodiscard]] virtual QuadrantTuples tuples() const = 0;
};

}  // namespace bfslab
