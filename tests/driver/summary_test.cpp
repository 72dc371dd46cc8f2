// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/summary.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bfslab {
namespace {

ResultCell cell(const std::string& case_name, const std::string& swept, const std::string& graph,
                double ms) {
  ResultCell made;
  made.key.case_name = case_name;
  made.key.graph = graph;
  made.series = case_name + swept;
  made.times[7] = {{ms}};
  made.statuses[Status::ok] = 1;
  made.timed = 1;
  return made;
}

Summary summary_of(const std::vector<ResultCell>& cells, const std::string& baseline) {
  static Experiment experiment;
  experiment.cells = cells;
  return summarise(experiment, baseline, [] {});
}

TEST(Summary, ASweptCaseIsComparedWithTheBaselineOfItsValues) {
  const Summary summary =
      summary_of({cell("base", ", alpha=1", "g", 6), cell("base", ", alpha=2", "g", 10),
                  cell("ours", ", alpha=2", "g", 5), cell("ours", ", alpha=3", "g", 5)},
                 "base");
  ASSERT_EQ(summary.rows.size(), 4U);
  EXPECT_FALSE(summary.rows[0].speedup);
  EXPECT_DOUBLE_EQ(summary.rows[2].speedup.value().value, 2);
  EXPECT_FALSE(summary.rows[3].speedup);  // no baseline has its value
}

TEST(Summary, AGraphsOnlyBaselineServesAllItsCases) {
  const Summary summary = summary_of(
      {cell("base", "", "g", 6), cell("base", "", "h", 9), cell("ours", ", alpha=2", "g", 2),
       cell("ours", ", alpha=3", "h", 3), cell("ours", "", "i", 3)},
      "base");
  EXPECT_DOUBLE_EQ(summary.rows[2].speedup.value().value, 3);
  EXPECT_DOUBLE_EQ(summary.rows[3].speedup.value().value, 3);
  EXPECT_FALSE(summary.rows[4].speedup);
}

TEST(Summary, ASweepOfTheCaseAloneHasTheSameBaselineAtEachPoint) {
  const Summary summary = summary_of(
      {cell("base", ", threads=1", "g", 8), cell("base", ", threads=2", "g", 4),
       cell("ours", ", alpha=1, threads=1", "g", 2), cell("ours", ", alpha=2, threads=2", "g", 2),
       cell("a, b=1", ", threads=2", "g", 1)},
      "base");
  EXPECT_DOUBLE_EQ(summary.rows[2].speedup.value().value, 4);
  EXPECT_DOUBLE_EQ(summary.rows[3].speedup.value().value, 2);
  EXPECT_DOUBLE_EQ(summary.rows[4].speedup.value().value, 4);
}

TEST(Summary, APointThatTheBaselineLacksOnOneGraphHasNoRatioThere) {
  const Summary summary =
      summary_of({cell("base", ", threads=1", "g", 8), cell("base", ", threads=1", "h", 8),
                  cell("base", ", threads=2", "h", 4), cell("ours", ", threads=2", "g", 2)},
                 "base");
  EXPECT_FALSE(summary.rows[3].speedup);
}

TEST(Summary, RatesAreInBillionsOfEdgesPerSecond) {
  ResultCell known = cell("a", "", "g", 6);
  known.edges[7] = 3'000'000;
  const Summary summary = summary_of({known, cell("b", "", "g", 6)}, "a");
  EXPECT_DOUBLE_EQ(summary.rows[0].gteps.value().value, 0.5);
  EXPECT_FALSE(summary.rows[1].gteps);
}

TEST(Summary, EndsWhereItsCallerWantsTo) {
  Experiment experiment;
  experiment.cells = {cell("a", "", "g", 1), cell("a", "", "h", 1), cell("a", "", "i", 1)};
  unsigned rows = 0;
  const auto third = [&] {
    if (++rows == 3) throw std::runtime_error("interrupted");
  };
  EXPECT_THROW(static_cast<void>(summarise(experiment, "", third)), std::runtime_error);
  EXPECT_EQ(rows, 3U);
}

}  // namespace
}  // namespace bfslab
