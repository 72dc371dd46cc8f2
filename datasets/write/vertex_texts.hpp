// SPDX-License-Identifier: Apache-2.0
// Texts that programs of others read, with the ids of the loaded graph and all of its vertices:
//
//   .adj    Ligra's AdjacencyGraph: V, E, V offsets, E neighbours, one number per line, from 0
//   .graph  METIS: a line "V EDGES", then for each vertex a line of its neighbours, from 1
//   .gr     the 9th DIMACS challenge: a line "p sp V E", then a line "a FROM TO 1" for each
//           adjacency entry, from 1
#pragma once

#include <string>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// Returns whether the ending of `path` names one of them.
bool is_vertex_text(const std::string& path);

// Writes the text completely or not at all. Throws InputError if it cannot be written, and for a
// graph that METIS has no form for: a directed one, or one with self-loops or multiple edges.
void write_vertex_text(const CsrGraph& graph, const std::string& path);

}  // namespace bfslab
