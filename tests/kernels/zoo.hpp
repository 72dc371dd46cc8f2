// SPDX-License-Identifier: Apache-2.0
// The test graphs (the zoo): every shape of graph on which an engine has ever gone wrong, by
// family.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab::tests {

// How much is tried on a graph: small ones allow products of toggles, deep ones a single setting.
enum class Size { small, large, deep };

struct ZooGraph {
  std::string name;
  std::shared_ptr<const CsrGraph> graph;  // a directed one carries its transpose
  std::vector<vertex_t> sources;
  Size size = Size::small;
};

// Names of all families; a family's graphs are built on first use, once per process.
const std::vector<std::string>& zoo_families();
// Throws std::out_of_range for an unknown family. Empty if the family's files are absent: `why`
// then says which, and where they were looked for.
const std::vector<ZooGraph>& zoo_family(std::string_view family, std::string* why = nullptr);

// Real graphs of the catalogue that are too large for many settings, one for each kind: a crawl, a
// citation graph, a social network, roads, a mesh.
const std::vector<std::string>& large_real_graphs();
// One of them, made symmetric, and as it is if it is directed, with the vertex of highest degree as
// its source. Empty as zoo_family() is.
std::vector<ZooGraph> large_real_graph(const std::string& name, std::string& why);

// Edges of a hand-written graph. Directed unless `symmetric`; nothing is dropped unless `clean`.
std::shared_ptr<const CsrGraph> make_graph(vertex_t vertices,
                                           const std::vector<std::pair<vertex_t, vertex_t>>& edges,
                                           bool symmetric = true, bool clean = true);

// The same graph without the transpose that a directed one carries.
CsrGraph without_transpose(const CsrGraph& graph);

}  // namespace bfslab::tests
