// SPDX-License-Identifier: Apache-2.0
// The fixed piece of work that shows the harness that a GPU is slower, or shared with another
// program.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/device_services.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

// If the compiler optimised the work away, only a launch would remain, 13 us on an H200.
TEST(GpuProbe, IsWorkThatNoCompilerCanShorten) {
  if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  const std::string bus = gpu::pci_bus_id();
  ASSERT_FALSE(bus.empty());
  double least_ms = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) least_ms = std::min(least_ms, gpu::probe_ms(bus));
  EXPECT_GE(least_ms, 0.03) << "98,304 operations of a scheduler take this at 3 GHz";
}

TEST(GpuProbe, OfNoGpuIsNothing) {
  if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(gpu::probe_ms("ffff:ff:1f.7"), 0);
}

}  // namespace
}  // namespace bfslab::tests
