// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/calibration.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

TEST(Calibration, BothPartsTakeTime) {
  const auto found = calibrate();
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->memory_ms, 0);
  EXPECT_GT(found->compute_ms, 0);
}

TEST(Calibration, DriftIsOfTheWorsePartInEitherDirection) {
  EXPECT_DOUBLE_EQ(drift_between({2, 1}, {3, 1}).pct, 50);
  EXPECT_DOUBLE_EQ(drift_between({3, 1}, {2, 1}).pct, 50);
  EXPECT_DOUBLE_EQ(drift_between({2, 1}, {2, 4}).pct, 300);
  EXPECT_EQ(drift_between({2, 1}, {2, 1}).pct, 0);
  EXPECT_NE(drift_between({2, 1}, {3, 1}).words.find("reading 32 MiB took 2 ms"),
            std::string::npos);
  EXPECT_NE(drift_between({2, 1}, {2, 4}).words.find("300 %"), std::string::npos);
}

// No processor on which this runs has a clock outside of these.
TEST(Calibration, TheClockIsAProcessors) {
  EXPECT_GT(processor_mhz(), 100);
  EXPECT_LT(processor_mhz(), 10'000);
}

}  // namespace
}  // namespace bfslab
