// SPDX-License-Identifier: Apache-2.0
// Ligra's text form (Shun and Blelloch, PPoPP 2013; https://github.com/jshun/ligra): the word
// AdjacencyGraph or WeightedAdjacencyGraph, the numbers n and m, n offsets, m neighbours, and m
// weights where it is weighted; ids from 0.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Ids as given. The format does not say whether its graph is directed: where every entry has its
// reverse it is undirected, each edge in the list once; the fact "assumed" says which. Weights are
// checked to be numbers and ignored. Offsets must ascend from 0 to at most m, neighbours be below
// n, and nothing may follow. Throws InputError "FILE:LINE: reason".
EdgeList parse_adjacency(ByteStream& bytes, const std::string& file, int threads);

}  // namespace bfslab
