// SPDX-License-Identifier: Apache-2.0
// The names that a spec's key `figure` may have: the modules of plots/figures when this was built.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

const std::vector<std::string>& figure_names();

}  // namespace bfslab
