// SPDX-License-Identifier: Apache-2.0
// Graphs and sources that the tests of fused and of its members share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"

namespace bfslab::tests {

inline std::shared_ptr<const CsrGraph> kronecker_of(int scale) {
  LoadOptions options;
  options.transpose = true;
  const std::string name = "kronecker:scale=" + std::to_string(scale);
  return std::make_shared<const CsrGraph>(load_graph(GraphName::parse(name), options));
}

// A vertex of the most neighbours, one of a single neighbour, one of a few, and an isolated one.
inline std::vector<vertex_t> kinds_of_sources(const CsrGraph& graph) {
  vertex_t hub = 0;
  std::vector<vertex_t> found(3, kNoVertex);
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const edge_t degree = graph.degree(v);
    if (degree > graph.degree(hub)) hub = v;
    if (degree == 0) found[0] = v;
    if (degree == 1) found[1] = v;
    if (degree > 3 && degree < 20) found[2] = v;
  }
  found.push_back(hub);
  return found;
}

}  // namespace bfslab::tests
