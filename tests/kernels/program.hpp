// SPDX-License-Identifier: Apache-2.0
// The differences between the two programs that test engines: kernels_tests those of the CPU,
// cuda_tests those of the GPU. Each defines these functions in one file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/engine.hpp"

namespace bfslab::tests {

std::vector<const EngineInfo*> engines_under_test();
// Why this machine cannot run them; empty if it can.
std::string cannot_run_here();

// A fixture whose tests are skipped, with the reason, if they cannot run.
template <typename Parameter>
class RunsHere : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }
};

inline std::string test_name_of(const EngineInfo& info) {
  std::string name = info.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace bfslab::tests
