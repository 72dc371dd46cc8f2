// SPDX-License-Identifier: Apache-2.0
// LevelRecorder: rows of levels reported live, afterwards, and in the parts of several ranks and
// GPUs.
#include "harness/record/level_recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace bfslab {
namespace {

constexpr LevelRecorder::Wants kEverything{.counts = true, .times = true};

LevelStart level(level_t number, std::uint64_t frontier = 1) {
  return {number, Direction::top_down, "made_up", frontier};
}

TEST(LevelRecorder, TimesWhatIsToldLiveByTheHost) {
  LevelRecorder recorder(kEverything);
  recorder.begin({0, Direction::bottom_up, "double_scan", 3});
  recorder.end({.frontier_edges = 7,
                .edges_checked = 5,
                .found_vertices = 4,
                .found_early_vertices = 2,
                .unvisited_vertices = 9});
  ASSERT_EQ(recorder.rows().size(), 1U);
  const LevelRow& row = recorder.rows().front();
  EXPECT_EQ(row.direction, "bottom_up");
  EXPECT_EQ(row.technique, "double_scan");
  EXPECT_EQ(row.frontier_vertices, 3U);
  EXPECT_EQ(row.frontier_edges, 7U);
  EXPECT_EQ(row.edges_checked, 5U);
  EXPECT_EQ(row.found_vertices, 4U);
  EXPECT_EQ(row.found_early_vertices, 2U);
  EXPECT_EQ(row.unvisited_vertices, 9U);
  EXPECT_EQ(row.part, "all");
  EXPECT_EQ(row.clock, "host");
  EXPECT_GE(row.time_ms.value(), 0);
  EXPECT_EQ(recorder.edges_checked(), 5U);
}

TEST(LevelRecorder, TakesTheEnginesOwnTime) {
  LevelRecorder recorder(kEverything);
  recorder.begin(level(0));
  recorder.end({.time_ms = 0.25, .clock = Clock::device_events});
  recorder.report({.start = level(1), .facts = {.time_ms = 0.5, .clock = Clock::device_timer}});
  EXPECT_EQ(recorder.rows().at(0).time_ms, 0.25);
  EXPECT_EQ(recorder.rows().at(0).clock, "device_events");
  EXPECT_EQ(recorder.rows().at(1).time_ms, 0.5);
  EXPECT_EQ(recorder.rows().at(1).clock, "device_timer");
}

// Two ranks with two GPUs each.
TEST(LevelRecorder, KeepsEachPartOfALevel) {
  LevelRecorder recorder(kEverything);
  for (level_t number = 0; number < 3; ++number) {
    for (unsigned rank = 0; rank < 2; ++rank) {
      for (unsigned gpu = 0; gpu < 2; ++gpu) {
        for (const char* part : {"nn", "dd"}) {
          recorder.report({.start = level(number, 10 * number + 2 * rank + gpu),
                           .facts = {.edges_checked = 3,
                                     .bytes_sent = 100 * rank + gpu,
                                     .time_ms = 0.125 * rank + gpu,
                                     .clock = Clock::device_events},
                           .rank = rank,
                           .gpu = gpu,
                           .part = part});
        }
      }
    }
  }
  ASSERT_EQ(recorder.rows().size(), 24U);
  const LevelRow& row = recorder.rows().at(8 + 7);  // level 1, the last part
  EXPECT_EQ(row.level, 1U);
  EXPECT_EQ(row.rank, 1U);
  EXPECT_EQ(row.gpu, 1U);
  EXPECT_EQ(row.part, "dd");
  EXPECT_EQ(row.frontier_vertices, 13U);
  EXPECT_EQ(row.bytes_sent, 101U);
  EXPECT_EQ(row.time_ms, 1.125);
  EXPECT_EQ(recorder.edges_checked(), 72U);
}

TEST(LevelRecorder, TakesThePartsOfALiveLevelForIt) {
  LevelRecorder recorder({.live = true, .counts = true, .times = true});
  recorder.begin(level(0, 2));
  for (unsigned gpu = 0; gpu < 2; ++gpu) recorder.report({.start = level(0), .gpu = gpu});
  recorder.end({});
  recorder.begin(level(1, 5));  // and one without parts after it
  recorder.end({.found_vertices = 0});
  ASSERT_EQ(recorder.rows().size(), 3U);
  EXPECT_EQ(recorder.rows()[1].gpu, 1U);
  EXPECT_EQ(recorder.rows()[2].frontier_vertices, 5U);
}

TEST(LevelRecorder, LeavesEmptyWhatWasNotCounted) {
  LevelRecorder recorder(kEverything);
  recorder.report({.start = level(0), .facts = {.edges_checked = 3}});
  EXPECT_EQ(recorder.edges_checked(), 3U);
  recorder.report({.start = level(1), .facts = {.frontier_edges = 8}});
  const LevelRow& row = recorder.rows().at(1);
  EXPECT_FALSE(row.edges_checked.has_value());
  EXPECT_FALSE(row.found_early_vertices.has_value());
  EXPECT_FALSE(row.time_ms.has_value());
  EXPECT_EQ(row.clock, "");
  EXPECT_FALSE(recorder.edges_checked().has_value()) << "a sum over some of the levels";
}

TEST(LevelRecorder, KeepsNothingThatNobodyAskedFor) {
  LevelRecorder recorder({.live = true});
  recorder.begin(level(0));
  recorder.end({});
  recorder.measure({"queue", "length", 1, "1", 0});
  EXPECT_TRUE(recorder.rows().empty());
  EXPECT_TRUE(recorder.measures().empty());
  LevelRecorder times({.times = true});
  times.report({.start = level(0), .facts = {.time_ms = 1, .clock = Clock::device_timer}});
  times.measure({"queue", "length", 1, "1", 0});
  EXPECT_EQ(times.rows().size(), 1U);
  EXPECT_TRUE(times.measures().empty());
}

TEST(LevelRecorder, KeepsTheRankOfAMeasure) {
  LevelRecorder recorder(kEverything);
  recorder.measure({"exchange", "bytes", 64, "B", 2, 3});
  EXPECT_EQ(recorder.measures().at(0).rank, 3U);
  EXPECT_EQ(recorder.measures().at(0).level, 2U);
}

template <typename Error, typename Call>
void expect_refused(const Call& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), words);
  }
}

TEST(LevelRecorder, RefusesWhatBreaksTheContract) {
  LevelRecorder recorder(kEverything);
  const auto report = [&](level_t number, unsigned gpu) {
    recorder.report({.start = level(number), .gpu = gpu});
  };
  report(1, 0);
  report(1, 1);
  expect_refused<std::logic_error>([&] { report(1, 0); },
                                   "level 1 of rank 0, GPU 0, part all is reported twice");
  expect_refused<std::logic_error>([&] { report(0, 0); },
                                   "level 0 of rank 0, GPU 0, part all is reported after level 1");
  expect_refused<std::logic_error>([&] { recorder.end({}); }, "a level ends that has not begun");
  recorder.begin(level(2));
  expect_refused<std::logic_error>([&] { recorder.begin(level(3)); },
                                   "level 3 begins before level 2 has ended");
  LevelRecorder live({.live = true});
  expect_refused<std::logic_error>(
      [&] { live.report({.start = level(0)}); },
      "level 0 is reported afterwards, and a profiler is attached that needs its range");
}

TEST(LevelRecorder, RefusesATimeThatIsNone) {
  LevelRecorder recorder(kEverything);
  expect_refused<std::invalid_argument>(
      [&] { recorder.report({.start = level(0), .facts = {.time_ms = -1}}); },
      "level 0 of rank 0, GPU 0, part all took -1 ms");
  EXPECT_THROW(recorder.report({.start = level(0), .facts = {.time_ms = std::nan("")}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace bfslab
