// SPDX-License-Identifier: Apache-2.0
// EdgeList: what a reader or a generator passes to datasets/build.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

struct Edge {
  vertex_t from;
  vertex_t to;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// A fact about where a graph came from, kept in order for graphs.csv and `graph info`.
using Provenance = std::vector<std::pair<std::string, std::string>>;

struct EdgeList {
  Buffer<Edge> edges;         // as the distributor or the generator gives them, duplicates included
  vertex_t vertex_count = 0;  // every id is below it
  bool undirected = false;    // each edge stands for both directions though it is listed once
  // The id of vertex v in the file: labels[v], or v + first_label if there are none.
  std::vector<std::uint64_t> labels;
  std::uint64_t first_label = 0;
  Provenance provenance;
};

}  // namespace bfslab
