// SPDX-License-Identifier: Apache-2.0
// MatrixMarket's coordinate form (.mtx; R. Boisvert, R. Pozo, K. Remington, "The Matrix Market
// exchange formats: initial design", NISTIR 5935, 1996): a banner, `%` before comments, one line
// ROWS COLUMNS ENTRIES, then one entry per line; indices from 1.
#pragma once

#include <string>
#include <string_view>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Returns whether the line is a MatrixMarket banner, or is meant to be one: "%MatrixMarket matrix
// ...".
bool opens_matrix_market(std::string_view line);

// An entry (r, c) is the edge r -> c, whatever its value, stored zeros included. A square matrix is
// a graph of ROWS vertices: directed when `general`, undirected when `symmetric`, `skew-symmetric`
// or `hermitian`, whose files hold one triangle. A rectangular matrix is a bipartite graph: rows
// first, columns after them, undirected. Ids as given, less 1; labels are the file's, in both
// sets. The header's counts are binding. Throws InputError "FILE:LINE: reason".
EdgeList parse_matrix_market(ByteStream& bytes, const std::string& file, int threads);

}  // namespace bfslab
