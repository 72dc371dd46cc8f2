// SPDX-License-Identifier: Apache-2.0
#include "harness/record/journal.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

RunRow row(double time_ms, double load, bool polluted) {
  RunRow out;
  out.case_name = "a";
  out.source = 1;
  out.time_ms = time_ms;
  out.foreign_load_pct = load;
  out.polluted = polluted;
  return out;
}

TEST(Journal, TheFirstUnpollutedAttemptCounts) {
  Journal journal(3);
  journal.add(row(9, 50, true));
  EXPECT_FALSE(journal.state(row(0, 0, false)).settled);
  EXPECT_EQ(journal.count(Status::ok), 0U);
  journal.add(row(5, 8, false));
  const TrialState state = journal.state(row(0, 0, false));
  EXPECT_TRUE(state.settled);
  EXPECT_EQ(state.attempts, 2U);
  EXPECT_EQ(state.time_ms, 5);
  EXPECT_EQ(journal.count(Status::ok), 1U);
}

TEST(Journal, ElseTheOneUnderTheLeastForeignLoad) {
  Journal journal(3);
  journal.add(row(9, 50, true));
  journal.add(row(7, 20, true));
  EXPECT_FALSE(journal.state(row(0, 0, false)).settled);
  journal.add(row(8, 30, true));
  EXPECT_TRUE(journal.state(row(0, 0, false)).settled);
  EXPECT_EQ(journal.state(row(0, 0, false)).time_ms, 7);
}

TEST(Journal, ARowMayTurnOutToBePolluted) {
  Journal journal(2);
  RunRow first = row(9, 1, false);
  journal.add(first);
  EXPECT_TRUE(journal.state(first).settled);
  EXPECT_EQ(journal.timed(), 1U);
  EXPECT_EQ(journal.polluted(), 0U);
  journal.pollute(first);
  EXPECT_FALSE(journal.state(first).settled);
  EXPECT_EQ(journal.count(Status::ok), 0U);
  RunRow second = row(7, 2, false);
  second.trial = 1;
  journal.add(second);
  EXPECT_EQ(journal.state(first).time_ms, 7);
  journal.pollute(second);
  EXPECT_TRUE(journal.state(first).settled);
  EXPECT_EQ(journal.state(first).time_ms, 9);  // under the least load
  EXPECT_EQ(journal.count(Status::ok), 1U);
  EXPECT_EQ(journal.timed(), 1U);
  EXPECT_EQ(journal.polluted(), 1U);
}

TEST(Journal, PollutionOfWhatIsNotTimedDoesNotCount) {
  Journal journal(3);
  RunRow counted = row(1, 50, true);
  counted.instrumented = true;
  journal.add(counted);
  journal.pollute(counted);
  EXPECT_TRUE(journal.state(counted).settled);
  EXPECT_EQ(journal.timed() + journal.polluted(), 0U);
  EXPECT_EQ(journal.count(Status::ok), 1U);
}

TEST(Journal, EveryPartOfTheKeyTellsTrialsApart) {
  Journal journal(1);
  journal.add(row(1, 0, false));
  const auto other = [&](auto change) {
    RunRow key = row(0, 0, false);
    change(key);
    return journal.state(key).settled;
  };
  EXPECT_TRUE(other([](RunRow&) {}));
  EXPECT_FALSE(other([](RunRow& r) { r.case_name = "b"; }));
  EXPECT_FALSE(other([](RunRow& r) { r.graph = "b"; }));
  EXPECT_FALSE(other([](RunRow& r) { r.graph_hash = "b"; }));
  EXPECT_FALSE(other([](RunRow& r) { r.engine = "b"; }));
  EXPECT_FALSE(other([](RunRow& r) { r.toggles = "b"; }));
  EXPECT_FALSE(other([](RunRow& r) { r.source = 2; }));
  EXPECT_FALSE(other([](RunRow& r) { r.repeat = 2; }));
  EXPECT_FALSE(other([](RunRow& r) { r.instrumented = true; }));
}

// A counter's row has no source but is instrumented; a graph that could not be loaded left a row
// that is neither.
TEST(Journal, ACountersRowIsItsTrialAndAGraphsIsNone) {
  Journal journal(1);
  RunRow graph = row(0, 0, false);
  graph.source.reset();
  graph.status = Status::crash;
  EXPECT_TRUE(is_graph_failure(graph));
  journal.add(graph);
  EXPECT_FALSE(journal.state(graph).settled);
  EXPECT_EQ(journal.failure(graph), nullptr);
  EXPECT_EQ(journal.count(Status::crash), 1U);

  RunRow counter = row(0, 100, true);  // pollution does not matter to it
  counter.source.reset();
  counter.instrumented = true;
  EXPECT_FALSE(is_graph_failure(counter));
  EXPECT_FALSE(journal.state(counter).settled);
  journal.add(counter);
  EXPECT_TRUE(journal.state(counter).settled);
  EXPECT_EQ(journal.count(Status::ok), 1U);

  counter.case_name = "b";
  counter.status = Status::oom;
  journal.add(counter);
  EXPECT_TRUE(journal.state(counter).settled);
  ASSERT_NE(journal.failure(counter), nullptr);
  EXPECT_FALSE(journal.failure(counter)->source.has_value());
}

TEST(Journal, AFailureIsTheConfigurationsAndSettlesItsTrial) {
  Journal journal(3);
  RunRow bad = row(0, 0, false);
  bad.status = Status::crash;
  journal.add(bad);
  EXPECT_TRUE(journal.state(bad).settled);
  RunRow other_source = bad;
  other_source.source = 9;
  ASSERT_NE(journal.failure(other_source), nullptr);
  other_source.graph = "another";
  EXPECT_EQ(journal.failure(other_source), nullptr);
  EXPECT_EQ(journal.count(Status::crash), 1U);
}

RunRow ended(Status status) {
  RunRow out = row(0, 0, false);
  out.status = status;
  return out;
}

TEST(Journal, AnInterruptedTrialIsNotSettled) {
  Journal journal(3);
  journal.add(row(9, 50, true));  // polluted
  journal.add(ended(Status::interrupted));
  EXPECT_FALSE(journal.state(row(0, 0, false)).settled);
  EXPECT_EQ(journal.state(row(0, 0, false)).attempts, 2U);
  EXPECT_EQ(journal.state(row(0, 0, false)).measured, 0U);
  EXPECT_EQ(journal.failure(row(0, 0, false)), nullptr);
  EXPECT_EQ(journal.count(Status::interrupted), 1U);
  journal.add(row(7, 0, false));
  EXPECT_TRUE(journal.state(row(0, 0, false)).settled);
  EXPECT_EQ(journal.state(row(0, 0, false)).time_ms, 7);
  EXPECT_EQ(journal.count(Status::interrupted), 0U);
  EXPECT_EQ(journal.count(Status::ok), 1U);
}

TEST(Journal, WhatIsReopenedIsRunAgainWithWhatWasSkippedAfterIt) {
  Journal journal(3);
  RunRow other = ended(Status::skipped);
  other.source = 2;
  RunRow elsewhere = other;
  elsewhere.case_name = "b";
  RunRow crash = ended(Status::crash);
  crash.case_name = "b";
  for (const RunRow& each : {ended(Status::oom), other, crash, elsewhere}) journal.add(each);
  EXPECT_EQ(journal.reopen({Status::timeout}), 0U);
  EXPECT_EQ(journal.reopen({Status::oom}), 2U);
  EXPECT_FALSE(journal.state(row(0, 0, false)).settled);
  EXPECT_FALSE(journal.state(other).settled);
  EXPECT_TRUE(journal.state(elsewhere).settled);
  EXPECT_EQ(journal.failure(other), nullptr);
  EXPECT_NE(journal.failure(elsewhere), nullptr);
  EXPECT_EQ(journal.count(Status::skipped), 1U);

  // A later run reads all of it, and was not asked to retry.
  Journal later(3);
  for (const RunRow& each : {ended(Status::oom), other, crash, elsewhere, row(5, 0, false)}) {
    later.add(each);
  }
  EXPECT_EQ(later.state(row(0, 0, false)).time_ms, 5);
  EXPECT_EQ(later.failure(other), nullptr);
  EXPECT_EQ(later.count(Status::oom), 0U);
}

TEST(Journal, AnAnswerFoundWrongLaterIsWrong) {
  Journal journal(1);
  journal.add(row(5, 0, false));
  journal.add(ended(Status::wrong));
  EXPECT_TRUE(journal.state(row(0, 0, false)).settled);
  EXPECT_FALSE(journal.state(row(0, 0, false)).time_ms.has_value());
  EXPECT_EQ(journal.count(Status::ok), 0U);
  EXPECT_EQ(journal.count(Status::wrong), 1U);
}

TEST(Journal, TellsWhetherTheAttemptThatCountsWasChecked) {
  Journal journal(2);
  RunRow checked = row(9, 50, true);
  checked.validated = true;
  journal.add(checked);
  journal.add(row(8, 0, false));
  EXPECT_TRUE(journal.state(checked).settled);
  EXPECT_FALSE(journal.state(checked).validated);
}

}  // namespace
}  // namespace bfslab
