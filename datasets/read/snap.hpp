// SNAP's edge lists: one edge per line, two ids separated by blanks or tabs, `#` before comments
// (https://snap.stanford.edu/data). Later columns (weights, times) are ignored.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Ids are renumbered densely in their order. A header that announces more edges than there are is
// an error (the file was truncated), other differences are warnings in the provenance; "Undirected
// graph" in the header makes the list undirected. Throws InputError "FILE:LINE: reason".
EdgeList parse_snap(ByteStream& bytes, const std::string& file, int threads);

EdgeList read_snap(const std::string& path, int threads);

}  // namespace bfslab
