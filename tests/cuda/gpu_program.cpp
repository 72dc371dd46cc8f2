// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/device.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {

std::vector<const EngineInfo*> engines_under_test() { return traversing_engines(true); }

std::string cannot_run_here() {
  try {
    static_cast<void>(cuda::device());
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace bfslab::tests
