// SPDX-License-Identifier: Apache-2.0
#include "datasets/text/spelling.hpp"

#include <gtest/gtest.h>

namespace bfslab {

namespace {

TEST(NearestSpelling, CountsASwapAsOneMistake) {
  EXPECT_EQ(nearest_spelling("xbsf", {"gbbs", "xbfs"}), "xbfs");
  EXPECT_EQ(nearest_spelling("hybird", {"bottom-up", "hybrid"}), "hybrid");
}

TEST(NearestSpelling, FindsInsertionsDeletionsAndOtherCase) {
  EXPECT_EQ(nearest_spelling("topdown", {"bottom-up", "top-down"}), "top-down");
  EXPECT_EQ(nearest_spelling("threeads", {"threads", "hints"}), "threads");
  EXPECT_EQ(nearest_spelling("THREADS", {"threads"}), "threads");
  EXPECT_EQ(nearest_spelling("thread", {"hints", "threads"}), "threads");
}

TEST(NearestSpelling, TakesTheNearestOfSeveral) {
  EXPECT_EQ(nearest_spelling("repeat", {"repeats_max", "repeats"}), "repeats");
}

TEST(NearestSpelling, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest_spelling("colour", {"threads", "rule"}), "");
  EXPECT_EQ(nearest_spelling("", {"threads"}), "");
  EXPECT_EQ(nearest_spelling("a", {"b", "c"}), "");
  EXPECT_EQ(nearest_spelling("threads", {}), "");
  EXPECT_EQ(nearest_spelling("threads", {"threads"}), "");  // nothing to correct
}

TEST(DidYouMean, AsksOrSaysNothing) {
  EXPECT_EQ(did_you_mean("xbsf", {"gbbs", "xbfs"}), "; did you mean \"xbfs\"?");
  EXPECT_EQ(did_you_mean("colour", {"threads"}), "");
}

}  // namespace

}  // namespace bfslab
