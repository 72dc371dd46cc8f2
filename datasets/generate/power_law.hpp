// SPDX-License-Identifier: Apache-2.0
// Parts of the two power-law generators, shared with the calibration that predicts their counts.
#pragma once

#include <cstdint>

#include "datasets/generate/communities.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/generate/rank_weights.hpp"
#include "datasets/generate/tails.hpp"

namespace bfslab {

// power_law: `edges` tuples. The last `tail_vertices` are the tails'. Of the others, which are the
// core's, the first give every vertex one edge to a partner drawn by weight, the last `reversed`
// repeat the tuples before them with their ends exchanged, and all others join two draws.
struct PowerLawShape {
  vertex_t vertices = 0;
  edge_t edges = 0;
  double exponent = 0;
  std::uint64_t offset = 0;
  double reciprocal = 0;  // share of the core's tuples whose reverse also exists
  CommunityShape communities;
  std::uint64_t tails = 0;
  std::uint64_t tail_vertices = 0;  // of all tails

  [[nodiscard]] edge_t reversed() const;
};

// Throws InputError unless the vertices suffice for the tails and the communities.
void check_vertices(const PowerLawShape& shape);

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
  CommunityShape communities;  // each has vertices of both sides
  bool one_id_space = false;   // vertex v of the left side is vertex v of the right side

  [[nodiscard]] std::uint64_t vertices() const;
};

GraphParameter exponent_parameter(const char* name, const char* doc);
GraphParameter offset_parameter(const char* name, const char* doc);

}  // namespace bfslab
