// SPDX-License-Identifier: Apache-2.0
// Which attempt counts: the cases of tests/data/attempts.json, which tests/plots/test_attempts.py
// puts to the reader of figures.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/record/journal.hpp"
#include "harness/record/row_reader.hpp"

namespace bfslab {
namespace {

using nlohmann::json;

Status status_named(const std::string& name) {
  for (std::size_t i = 0; i < kStatuses; ++i) {
    if (name == to_text(static_cast<Status>(i))) return static_cast<Status>(i);
  }
  throw std::invalid_argument(name);
}

// The number of the attempt is its trial and its time.
std::vector<RunRow> rows_of(const json& attempts) {
  std::vector<RunRow> rows;
  for (const json& each : attempts) {
    RunRow row;
    row.trial = rows.size();
    row.attempt = static_cast<unsigned>(rows.size());
    row.case_name = "a";
    row.source = 1;
    row.time_ms = static_cast<double>(rows.size());
    row.status = status_named(each.value("status", "ok"));
    row.polluted = each.value("polluted", false);
    row.instrumented = each.value("instrumented", false);
    row.recorded = each.value("recorded", "");
    if (each.contains("load")) row.foreign_load_pct = each.at("load").get<double>();
    rows.push_back(row);
  }
  return rows;
}

TEST(Attempts, TheReaderAndTheJournalCountTheSame) {
  std::ifstream file(BFSLAB_SOURCE_DIR "/tests/data/attempts.json");
  const json cases = json::parse(file).at("cases");
  ASSERT_GT(cases.size(), 10U);
  for (const json& each : cases) {
    SCOPED_TRACE(each.at("name").get<std::string>());
    const std::vector<RunRow> rows = rows_of(each.at("attempts"));
    const auto wanted = each.at("counts").get<std::size_t>();
    const std::vector<RunRow> counted = counted_rows(rows);
    ASSERT_EQ(counted.size(), 1U);
    EXPECT_EQ(counted.front().trial, wanted);
    Journal journal(static_cast<unsigned>(rows.size()));
    for (const RunRow& row : rows) journal.add(row);
    const TrialState state = journal.state(rows.front());
    EXPECT_EQ(state.status, rows[wanted].status);
    if (state.status == Status::ok) {
      EXPECT_EQ(state.time_ms, rows[wanted].time_ms);
    }
  }
}

}  // namespace
}  // namespace bfslab
