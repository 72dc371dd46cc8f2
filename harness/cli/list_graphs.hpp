// bfslab list graphs: kinds, catalogue, groups, and what of them is at hand.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Everything, or only the kind, the catalogue's entry or the group that `name` is. Throws
// InputError when it is none.
void print_graphs(const std::string& name, const std::vector<std::string>& folders,
                  const std::string& cache, bool json);

}  // namespace bfslab
