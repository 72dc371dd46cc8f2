// SPDX-License-Identifier: Apache-2.0
// Parses what follows "union:", a disjoint union of generated graphs: (GRAPH)+COPIES*(GRAPH)+...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/name/graph_name.hpp"

namespace bfslab {

// One name for each part, with its copies; neighbours that are alike become one. Throws InputError
// in words that follow "graph "...": ".
std::vector<GraphName> parse_union(std::string_view text);

// The one spelling of those parts. Build options are the union's, and stand after it.
std::string union_spelling(const std::vector<GraphName>& parts);

}  // namespace bfslab
