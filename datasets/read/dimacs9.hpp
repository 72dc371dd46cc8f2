// SPDX-License-Identifier: Apache-2.0
// The text form of the 9th DIMACS Implementation Challenge (shortest paths, .gr): `c` before
// comments, one line `p sp VERTICES ARCS`, then an `a FROM TO LENGTH` for every arc; ids from 1
// (http://www.diag.uniroma1.it/challenge9/format.shtml).
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Ids as given, less 1; labels are the file's. The list is directed, since arcs are. Lengths are
// ignored. The header's counts are binding. Throws InputError "FILE:LINE: reason".
EdgeList parse_dimacs9(ByteStream& bytes, const std::string& file, int threads);

}  // namespace bfslab
