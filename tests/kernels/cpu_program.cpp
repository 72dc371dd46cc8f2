// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {

std::vector<const EngineInfo*> engines_under_test() { return traversing_engines(false); }
std::string cannot_run_here() { return {}; }

}  // namespace bfslab::tests
