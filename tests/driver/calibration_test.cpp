// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/calibration.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

TEST(Calibration, BothPartsTakeTime) {
  const auto found = calibrate(false);
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->memory_ms, 0);
  EXPECT_GT(found->compute_ms, 0);
}

TEST(Calibration, DriftIsOfTheWorsePartInEitherDirection) {
  EXPECT_DOUBLE_EQ(drift_between({2, 1}, {3, 1}, false).pct, 50);
  EXPECT_DOUBLE_EQ(drift_between({3, 1}, {2, 1}, false).pct, 50);
  EXPECT_DOUBLE_EQ(drift_between({2, 1}, {2, 4}, false).pct, 300);
  EXPECT_EQ(drift_between({2, 1}, {2, 1}, false).pct, 0);
  EXPECT_NE(drift_between({2, 1}, {3, 1}, false).words.find("reading 32 MiB took 2 ms"),
            std::string::npos);
  EXPECT_NE(drift_between({2, 1}, {2, 4}, false).words.find("300 %"), std::string::npos);
}

TEST(Calibration, TrialsOnAGpuDoNotWaitForTheHostsMemory) {
  EXPECT_EQ(drift_between({2, 1, 4}, {3, 1, 4}, true).pct, 0);
  EXPECT_DOUBLE_EQ(drift_between({2, 1, 4}, {2, 1, 5}, true).pct, 25);
  EXPECT_EQ(drift_between({2, 1, 4}, {2, 1, 5}, false).pct, 0);
  EXPECT_DOUBLE_EQ(drift_between({2, 1, 4}, {2, 2, 4}, true).pct, 100);
}

// No processor on which this runs has a clock outside of these.
TEST(Calibration, TheClockIsAProcessors) {
  EXPECT_GT(processor_mhz(), 100);
  EXPECT_LT(processor_mhz(), 10'000);
}

}  // namespace
}  // namespace bfslab
