// SPDX-License-Identifier: Apache-2.0
// bfslab list graphs: kinds, catalogue, groups, and their availability here.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Prints everything, or only the kind, the catalogue entry or the group that `name` denotes. Throws
// InputError if it denotes none.
void print_graphs(const std::string& name, const std::vector<std::string>& folders,
                  const std::string& cache, bool json);

}  // namespace bfslab
