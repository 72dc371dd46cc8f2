// SPDX-License-Identifier: Apache-2.0
// KONECT's `out.*` files (J. Kunegis, "Handbook of Network Analysis: the KONECT project"): a line
// `% sym|asym|bip WEIGHTS`, sometimes `% EDGES FIRST SECOND`, then one edge per line with,
// sometimes, a weight and a time; ids from 1. Blank lines and other comments may come before.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// `sym` is undirected, `asym` directed, `bip` undirected between two sets: the second column's
// vertices follow all of the first column's. With counts in the header, ids are as given, less 1,
// and those beyond the counts are refused; without them, ids are renumbered densely in their order.
// Labels are the file's ids, in both sets. Weights and times are ignored. Fewer lines than an
// unweighted network's header announces is an error, other differences are warnings. Throws
// InputError "FILE:LINE: reason".
EdgeList parse_konect(ByteStream& bytes, const std::string& file, int threads);

}  // namespace bfslab
