// SPDX-License-Identifier: Apache-2.0
#include "harness/run/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace bfslab::tests {
namespace {

using std::chrono::seconds;

// A run of trials whose clock only the test moves.
class ProgressLines : public ::testing::Test {
 protected:
  // Returns what `trials` trials of `each` print.
  std::string run(Progress& progress, int trials, seconds each) {
    testing::internal::CaptureStderr();
    for (int i = 0; i < trials; ++i) {
      time += each;
      progress.trial_done("path", "hybrid", true);
    }
    return testing::internal::GetCapturedStderr();
  }
  Progress elsewhere(bool quiet = false) {
    return {quiet, /*terminal=*/false, [this] { return time; }};
  }

  Progress::Clock::time_point time;
};

TEST_F(ProgressLines, OneAMinuteWhereThereIsNoTerminal) {
  Progress progress = elsewhere();
  progress.plan(100);
  EXPECT_EQ(run(progress, 5, seconds(10)), "");
  EXPECT_EQ(run(progress, 1, seconds(10)), "  6/100 1:00 elapsed, 15:40 left  hybrid path\n");
  EXPECT_EQ(run(progress, 5, seconds(10)), "");
  EXPECT_EQ(run(progress, 7, seconds(10)),
            "  12/100 2:00 elapsed, 14:40 left  hybrid path\n"
            "  18/100 3:00 elapsed, 13:40 left  hybrid path\n");
}

TEST_F(ProgressLines, ALongTrialHasALineWhenItEnds) {
  Progress progress = elsewhere();
  progress.plan(3);
  EXPECT_EQ(run(progress, 1, seconds(4000)), "  1/3 1:06:40 elapsed, 2:13:20 left  hybrid path\n");
  EXPECT_EQ(run(progress, 1, seconds(59)), "");
}

TEST_F(ProgressLines, TheEndHasNone) {
  Progress progress = elsewhere();
  progress.plan(2);
  EXPECT_NE(run(progress, 1, seconds(100)), "");
  EXPECT_EQ(run(progress, 1, seconds(100)), "");
}

TEST_F(ProgressLines, TrialsOfAnEarlierRunDoNotShortenTheTimeLeft) {
  Progress progress = elsewhere();
  progress.plan(100);
  progress.found_done(89);
  EXPECT_EQ(run(progress, 1, seconds(60)), "  90/100 1:00 elapsed, 10:00 left  hybrid path\n");
}

TEST_F(ProgressLines, SkippedTrialsSayNothingAboutTheTimeLeft) {
  Progress progress = elsewhere();
  progress.plan(10);
  time += seconds(61);
  testing::internal::CaptureStderr();
  progress.trial_done("path", "hybrid", false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  1/10 1:01 elapsed, ? left  hybrid path\n");
}

TEST_F(ProgressLines, QuietHasNone) {
  Progress progress = elsewhere(/*quiet=*/true);
  progress.plan(100);
  EXPECT_EQ(run(progress, 20, seconds(60)), "");
}

TEST_F(ProgressLines, ATerminalHasABarInstead) {
  Progress progress(false, /*terminal=*/true, [this] { return time; });
  progress.plan(4);
  const std::string bar = run(progress, 1, seconds(90));
  EXPECT_EQ(bar.rfind("\r[#####...............] 1/4 1:30 elapsed, 4:30 left  hybrid path", 0), 0);
  EXPECT_EQ(bar.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace bfslab::tests
