// SPDX-License-Identifier: Apache-2.0
// Writes graphs to files.
#pragma once

#include <string>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// By ending: SNAP text (.txt, .txt.gz), a list of edges (.el, .mtx), GAP's binary (.sg), ours
// (.csr), texts of all vertices (vertex_texts.hpp), or forms that only others' programs read
// (program_files.hpp).
// Lists have every adjacency entry, by the ids of the loaded graph, from 0, in .mtx from 1. SNAP
// text names vertices by their labels and lists each edge of a symmetric graph once, the smaller
// new id first; vertices without edges exist only in the count of its header, as is usual for SNAP.
// Replaces `path` completely or not at all. Throws InputError for another ending, for SNAP text of
// two sets of vertices that share labels, and if `path` cannot be written.
void write_graph(const CsrGraph& graph, const std::string& path, int threads);

// Returns the files that write_graph writes for `path`: two for a pair of arrays, else `path`.
std::vector<std::string> files_of(const std::string& path);

// Throws InputError where no reader takes what would be written: a graph without vertices, or, in a
// form that lists edges only, without edges.
void check_readable(const CsrGraph& graph, const std::string& path);

// The number of vertices that the file at `path` does not name, as they have no edge.
vertex_t vertices_lost(const CsrGraph& graph, const std::string& path);

// Throws InputError unless write_graph knows the ending.
void check_writable_ending(const std::string& path);

}  // namespace bfslab
