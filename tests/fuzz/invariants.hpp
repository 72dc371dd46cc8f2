// SPDX-License-Identifier: Apache-2.0
// Invariants of everything that a reader accepts, and of the graphs built from it.
#pragma once

#include <string_view>

#include "datasets/graph/csr_graph.hpp"
#include "datasets/graph/edge_list.hpp"

namespace bfslab::fuzz {

// Ids below the number of vertices; no labels or one per vertex, ascending if they `ascend`;
// no more edges than `most_edges`.
void check_list(const EdgeList& list, std::size_t most_edges, bool ascend);

// Offsets from 0 upwards to the number of columns, rows ascending (strictly if `simple`: no
// self-loop and no duplicate either), every column a vertex, counts that agree; an edge back for
// each edge of a symmetric graph.
void check_graph(const CsrGraph& graph, bool simple);

// No byte that would upset a terminal (DEL, which terminals ignore, may pass).
void check_printable(std::string_view text, std::string_view what);

// Returns whether a graph of that many vertices is built at all: a header may legitimately announce
// four billion vertices in ten bytes, and building that is not the reader's task.
bool small_enough(const EdgeList& list);

}  // namespace bfslab::fuzz
