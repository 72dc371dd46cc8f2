// SPDX-License-Identifier: Apache-2.0
// Pairs of ids from 0, `FROM<TAB>TO`, as WebGraph's tools write them (.arcs.tsv).
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Directed, ids as given: there are as many vertices as the largest id implies, with or without
// edges. Throws InputError "FILE:LINE: reason".
EdgeList parse_arcs(ByteStream& bytes, const std::string& file, int threads);

}  // namespace bfslab
