// SPDX-License-Identifier: Apache-2.0
// METIS graphs (.graph; G. Karypis, "METIS: a software package ...", the manual's section on the
// graph file; the 10th DIMACS Implementation Challenge and Walshaw's archive use it too): a line
// VERTICES EDGES [FORMAT [CONSTRAINTS]], then a line of neighbours for every vertex; ids from 1,
// `%` before comments. FORMAT's digits announce vertex sizes, vertex weights and edge weights.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/file_head.hpp"

namespace bfslab {

// Undirected; ids as given, less 1, and labels the file's. Each edge is in the list once, from the
// smaller id. Weights and sizes are ignored. Refused: an edge that only one of its vertices lists,
// a vertex that lists itself, counts other than the header's. Blank lines are vertices without
// neighbours, and mean nothing after the last vertex. Throws InputError "FILE:LINE: reason".
EdgeList parse_metis(ByteStream& bytes, const std::string& file, int threads);

Reading read_as_metis(const FileHead& head);

}  // namespace bfslab
