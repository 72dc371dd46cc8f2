// SPDX-License-Identifier: Apache-2.0
// Tests of this folder that need a GPU: members share those that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include <string>

#include "kernels/device_services.hpp"

namespace bfslab::tests {

// Why members find no GPU here; empty if they do. They may share it from now on.
inline std::string no_gpu_for_members() {
  setenv("BFSLAB_SHARE_GPUS", "1", 1);
  if (gpu::pci_bus_id().empty()) return "no GPU here, or a build without CUDA";
  return {};
}

// A fixture whose tests are skipped, with the reason, where there is none.
template <typename Fixture = testing::Test>
class NeedsGpu : public Fixture {
 protected:
  void SetUp() override {
    if (const std::string why = no_gpu_for_members(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace bfslab::tests
