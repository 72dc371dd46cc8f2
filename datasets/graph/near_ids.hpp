// SPDX-License-Identifier: Apache-2.0
// New ids that bring neighbours together.
#pragma once

#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// Returns the new id of each vertex by the reverse Cuthill-McKee order (docs/references.md#rcm):
// the vertices of a component one after the other, in the reverse of the order in which a
// breadth-first search finds them that looks at neighbours by ascending degree, and begins at a
// vertex of low degree far from others. The rows of neighbours become narrow bands. Looks along
// both directions of the edges if the graph has its transpose, else along those of its rows. Takes
// linear time except for sorting neighbours, on one thread.
//
// Example: a path whose vertices have scattered ids gets the ids 0, 1, 2, ... along it.
std::vector<vertex_t> reverse_cuthill_mckee(const CsrGraph& graph);

}  // namespace bfslab
