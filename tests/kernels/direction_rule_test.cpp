// SPDX-License-Identifier: Apache-2.0
// A direction rule's facts about a frontier: counted, or estimated if they were not counted.
#include "kernels/direction_rule.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

TEST(DirectionState, TakesOverWhatWasCounted) {
  DirectionState at{.edges = 10, .unexplored = 100, .rest = 100, .candidates = 40};
  at.advance(false, 8, 50, true);
  EXPECT_EQ(at.frontier, 8U);
  EXPECT_EQ(at.previous, 1U);
  EXPECT_EQ(at.edges, 50U);
  EXPECT_EQ(at.unexplored, 90U);
  EXPECT_EQ(at.rest, 90U);
  EXPECT_EQ(at.candidates, 32U);
}

TEST(DirectionState, ExpectsTheAverageOfWhatIsUnvisited) {
  DirectionState at{.frontier = 8, .edges = 50, .unexplored = 90, .rest = 90, .candidates = 32};
  at.advance(true, 24, 7, false);  // 40 edges are left for 32 vertices
  EXPECT_EQ(at.edges, 30U);
  EXPECT_EQ(at.unexplored, 90U) << "no top-down frontier has held them";
  EXPECT_EQ(at.rest, 40U);
  at.advance(true, 8, 7, false);  // all that is left
  EXPECT_EQ(at.edges, 10U);
  at.advance(true, 0, 0, false);
  EXPECT_EQ(at.edges, 0U);
  EXPECT_EQ(at.rest, 0U);
}

// 1,000 rows of 16 entries. The second search meets its frontier at once, the first looks along all
// rows, and the third has ended.
TEST(ExpectedWork, SplitsSearchesThatRunTogether) {
  RowLengths rows;
  for (int v = 0; v < 1'000; ++v) rows.add(16);
  ExpectedWork rule(rows, 2);
  rule.down = 100;
  rule.split = 300;
  const DirectionState at{.edges = 15'000, .candidates = 1'000};
  const std::uint64_t edges[] = {10, 15'000, 0};
  const double looks[] = {rule.looks(at, 10), rule.looks(at, 15'000), 0};
  EXPECT_EQ(looks[0], 16'000);
  EXPECT_EQ(looks[1], 1'000);
  EXPECT_EQ(rule.together(at, edges, looks, 3, 0), 16'000);
  EXPECT_EQ(rule.together(at, edges, looks, 3, 10), 16'000) << "no search has fewer";
  EXPECT_EQ(rule.together(at, edges, looks, 3, 11), 1'000 + 2 * 10 + 300);
  EXPECT_EQ(rule.together(at, edges, looks, 3, ExpectedWork::kAllDown), 2 * 15'000 + 100);
}

}  // namespace
}  // namespace bfslab
