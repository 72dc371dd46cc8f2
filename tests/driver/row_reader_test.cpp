// SPDX-License-Identifier: Apache-2.0
#include "harness/record/row_reader.hpp"

#include <gtest/gtest.h>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {
namespace {

RunRow attempt(std::uint64_t trial, double time_ms, double load, bool polluted,
               Status status = Status::ok) {
  RunRow row;
  row.trial = trial;
  row.case_name = "a";
  row.source = 1;
  row.time_ms = time_ms;
  row.foreign_load_pct = load;
  row.polluted = polluted;
  row.status = status;
  return row;
}

std::vector<std::uint64_t> counted(const std::vector<RunRow>& rows) {
  std::vector<std::uint64_t> trials;
  for (const RunRow& row : counted_rows(rows)) trials.push_back(row.trial);
  return trials;
}

using Trials = std::vector<std::uint64_t>;

TEST(RowReader, OfSeveralAttemptsTheOneThatTheJournalCounts) {
  EXPECT_EQ(counted({attempt(0, 9, 50, true), attempt(1, 5, 8, false), attempt(2, 4, 1, false)}),
            Trials{1});
  EXPECT_EQ(counted({attempt(0, 9, 50, true), attempt(1, 7, 20, true), attempt(2, 8, 30, true)}),
            Trials{1});
  // Attempts before a failure do not count; the failure counts if nothing follows it.
  EXPECT_EQ(counted({attempt(0, 9, 0, false), attempt(1, 0, 0, false, Status::interrupted)}),
            Trials{1});
  EXPECT_EQ(counted({attempt(0, 9, 0, false), attempt(1, 0, 0, false, Status::interrupted),
                     attempt(2, 8, 30, true)}),
            Trials{2});
  RunRow other = attempt(3, 1, 0, false);
  other.repeat = 1;
  EXPECT_EQ(counted({attempt(0, 9, 50, true), other, attempt(4, 5, 8, false)}), (Trials{3, 4}));
}

std::string file_of(const std::vector<RunRow>& rows) {
  std::string text = csv_row(column_names<RunRow>());
  for (const RunRow& row : rows) text += csv_row(fields(row));
  return text;
}

TEST(RowReader, ATornLineIsNoRow) {
  const std::string text = file_of({attempt(0, 1, 0, false), attempt(1, 2, 0, false)});
  EXPECT_EQ(read_rows<RunRow>(text, "f", Damage::refuse).size(), 2U);
  EXPECT_EQ(read_rows<RunRow>(text.substr(0, text.size() - 3), "f", Damage::refuse).size(), 1U);
  EXPECT_TRUE(read_rows<RunRow>("", "f", Damage::refuse).empty());
}

TEST(RowReader, OlderFilesLackColumnsThatMayBeEmpty) {
  const std::string old =
      "trial,experiment,case,graph,engine,repeat,attempt,order,ranks,gpus_per_rank,status,checked,"
      "polluted,instrumented,build_hash,utc,later\n"
      "7,e,c,g,hybrid,0,0,0,1,0,ok,1,1,0,b,2026,x\n";
  const auto rows = read_rows<RunRow>(old, "f", Damage::refuse);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().trial, 7U);
  EXPECT_TRUE(rows.front().polluted && rows.front().gpu.empty() && !rows.front().steal_pct);
}

TEST(RowReader, FormerNamesOfColumnsAreRead) {
  const std::string old =
      "trial,experiment,case,graph,engine,repeat,attempt,order,ranks,gpus_per_rank,status,checked,"
      "burst,observed_by,polluted,instrumented,build_hash,utc\n"
      "7,e,c,g,hybrid,0,0,5,1,0,ok,1,8,profiler,0,0,b,2026\n";
  const RunRow row = read_rows<RunRow>(old, "f", Damage::refuse).at(0);
  EXPECT_EQ(row.position_in_round, 5U);
  EXPECT_TRUE(row.validated);
  EXPECT_EQ(row.searches_per_trial, 8U);
  EXPECT_EQ(row.profiler, "profiler");
  std::string twice = old;
  twice.replace(twice.find("polluted"), 8, "validated");
  try {
    read_rows<RunRow>(twice, "f", Damage::refuse);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("f:1: the columns validated and validated are one"),
              std::string::npos);
  }
}

TEST(RowReader, WhatIsNoRowIsRefusedOrPassedOver) {
  EXPECT_THROW(read_rows<RunRow>("a,b\n1,2\n", "f", Damage::refuse), InputError);
  std::string text = file_of({attempt(0, 1, 0, false)});
  text += "not,a,row\n";
  EXPECT_EQ(read_rows<RunRow>(text, "f", Damage::pass_over).size(), 1U);
  try {
    read_rows<RunRow>(text, "f/runs.csv", Damage::refuse);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("f/runs.csv:3: row 3: found 3 fields"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace bfslab
