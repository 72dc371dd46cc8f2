// SPDX-License-Identifier: Apache-2.0
// The binary form that `graph convert` writes, read as an edge list.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// A symmetric graph gives each edge once and is marked undirected, so the builder makes the same
// graph again; how often the original input listed an edge is not kept. Throws InputError.
EdgeList read_csr(const std::string& path, int threads);

}  // namespace bfslab
