// SPDX-License-Identifier: Apache-2.0
// Checks that the names of graphs in a catalogue are valid. parse_catalog checks its form.
#pragma once

#include <string>

#include "datasets/catalog/catalog.hpp"

namespace bfslab {

// Every graph and stand-in parses and is what its entry says, every address has a place in a data
// folder, and no entry or group is called as a kind of graph is. `file` is only named in messages.
// Throws InputError with every mistake, a line each.
void check_catalog(const Catalog& catalog, const std::string& file);

}  // namespace bfslab
