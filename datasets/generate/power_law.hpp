// SPDX-License-Identifier: Apache-2.0
// Parts of the two power-law generators, shared with the calibration that predicts their counts.
#pragma once

#include <cstdint>

#include "datasets/generate/generator.hpp"
#include "datasets/generate/rank_weights.hpp"

namespace bfslab {

// power_law: `edges` tuples, of which the first `vertices` give every vertex one edge to a partner
// drawn by weight, the last `reversed` repeat the tuples before them with their ends exchanged, and
// all others join two draws.
struct PowerLawShape {
  vertex_t vertices = 0;
  edge_t edges = 0;
  double exponent = 0;
  std::uint64_t offset = 0;
  double reciprocal = 0;  // share of the tuples whose reverse also exists

  [[nodiscard]] edge_t reversed() const;
};

// bipartite: `edges` tuples from left to right, of which the first left + right give every vertex
// an edge to a partner drawn by weight, and all others join two draws.
struct BipartiteShape {
  vertex_t left = 0;
  vertex_t right = 0;
  edge_t edges = 0;
  double left_exponent = 0;
  std::uint64_t left_offset = 0;
  double right_exponent = 0;
  std::uint64_t right_offset = 0;
};

GraphParameter exponent_parameter(const char* name, const char* doc);
GraphParameter offset_parameter(const char* name, const char* doc);

}  // namespace bfslab
