// SPDX-License-Identifier: Apache-2.0
// The data sets of LDBC Graphalytics (Iosup et al., PVLDB 2016): NAME.v, an id a line; NAME.e, an
// edge a line, perhaps with its weight; and NAME.properties, which says whether it is directed.
#pragma once

#include <string>
#include <vector>

#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// `path` is that of NAME.e or NAME.v, in any packing, or of a tar archive of both. Vertices are
// numbered in the order of their ids; those without an edge count. An edge between vertices that
// NAME.v lacks is refused. Where NAME.v or NAME.properties are missing, the fact "assumed" says
// what that means. Throws InputError.
EdgeList read_graphalytics(const std::string& path, int threads);

// The files beside `path` that are read with it.
std::vector<std::string> graphalytics_companions(const std::string& path);

}  // namespace bfslab
