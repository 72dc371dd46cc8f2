#include "harness/record/csv.hpp"

#include <gtest/gtest.h>

#include "harness/record/rows.hpp"
#include "harness/run/protocol.hpp"

namespace bfslab {
namespace {

TEST(Csv, QuotesWhatMustBeQuotedAndReadsItBack) {
  const std::vector<std::string> fields = {"plain",      "",         "a,b", "say \"no\"",
                                           "two\nlines", " spaced ", "\r"};
  const std::string row = csv_row(fields);
  EXPECT_EQ(row, "plain,,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\", spaced ,\"\r\"\n");
  const auto records = parse_csv(row + row);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].fields, fields);
  EXPECT_EQ(records[1].begin, row.size());
  EXPECT_EQ(records[1].end, 2 * row.size());
}

TEST(Csv, EveryTornTailIsLeftOut) {
  const std::string first = csv_row({"1", "x"});
  const std::string second = csv_row({"2", "a\nb \"c\", d"});
  const std::string whole = first + second;
  for (std::size_t cut = first.size(); cut < whole.size(); ++cut) {
    const auto records = parse_csv(whole.substr(0, cut));
    ASSERT_EQ(records.size(), 1U) << "cut at " << cut;
    EXPECT_EQ(records[0].end, first.size());
  }
}

TEST(Rows, WhatResumingNeedsComesBack) {
  RunRow row;
  row.trial = 17;
  row.case_name = "a, \"b\"";
  row.graph = "kronecker:scale=8";
  row.graph_hash = "abc";
  row.engine = "hybrid";
  row.toggles = "alpha=0.1;threads=2";
  row.source = 5;
  row.repeat = 3;
  row.attempt = 1;
  row.time_ms = 0.1 + 0.2;
  row.foreign_load_pct = 12.5;
  row.polluted = true;
  ASSERT_EQ(fields(row).size(), run_columns().size());
  const RunRow back = run_row_from(parse_csv(csv_row(fields(row))).at(0).fields);
  EXPECT_EQ(back.case_name, row.case_name);
  EXPECT_EQ(back.source, row.source);
  EXPECT_EQ(back.time_ms, row.time_ms);  // every digit
  EXPECT_EQ(fields(back)[30], "12.50");
  EXPECT_TRUE(back.polluted);
  EXPECT_FALSE(back.instrumented);
}

TEST(Rows, ATimeIsToldOnlyWhereTheStatusIsOk) {
  RunRow row;
  row.time_ms = 1;
  row.status = Status::wrong;
  EXPECT_EQ(fields(row)[18], "");
}

TEST(Rows, NonsenseIsRefused) {
  std::vector<std::string> row = fields(RunRow{});
  row[15] = "fine";
  EXPECT_THROW(run_row_from(row), std::invalid_argument);
  row.pop_back();
  EXPECT_THROW(run_row_from(row), std::invalid_argument);
}

TEST(Rows, ColumnsAndFieldsAgree) {
  EXPECT_EQ(fields(LevelRow{}).size(), level_columns().size());
  EXPECT_EQ(fields(MeasureRow{}).size(), measure_columns().size());
  EXPECT_EQ(fields(GraphRow{}).size(), graph_columns().size());
  GraphRow graph;
  graph.sources = {3, 1, 4};
  EXPECT_EQ(graph_row_from(fields(graph)).sources, graph.sources);
}

// For a graph that was never built most facts are unknown: empty fields, which are read back as
// such.
TEST(Rows, AGraphThatWasNeverBuilt) {
  GraphRow graph;
  graph.graph = "kronecker:scale=31";
  graph.graph_hash = "recipe-0123456789abcdef";
  graph.vertices = std::uint64_t{1} << 31;
  const std::vector<std::string> row = fields(graph);
  EXPECT_EQ(row[4], "2147483648");
  for (const std::size_t unknown : {5U, 6U, 8U, 9U, 10U, 11U, 13U, 14U}) {
    EXPECT_EQ(row[unknown], "") << graph_columns()[unknown];
  }
  const GraphRow back = graph_row_from(row);
  EXPECT_EQ(back.graph_hash, graph.graph_hash);
  EXPECT_EQ(back.vertices, graph.vertices);
  EXPECT_FALSE(back.edges.has_value());
  EXPECT_FALSE(back.input_edges.has_value());
  EXPECT_TRUE(back.sources.empty());
}

TEST(Protocol, RequestsComeBackWhole) {
  const auto back = [](const TrialRequest& trial) {
    return std::get<TrialRequest>(decode_request(encode(Request(trial))));
  };
  EXPECT_EQ(back({3, 17, true, false}).source, 17U);
  EXPECT_TRUE(back({3, 17, true, false}).instrumented);
  EXPECT_FALSE(back({3, std::nullopt, true, false}).source.has_value());
}

TEST(Protocol, GraphsComeBackWhole) {
  GraphFactsReply facts;
  facts.hash = "recipe-0";
  facts.edges = 9;
  facts.provenance = {{"built", "no"}};
  const auto back = std::get<GraphFactsReply>(decode_reply(encode(Reply(facts))));
  EXPECT_EQ(back.hash, "recipe-0");
  EXPECT_EQ(back.edges, 9U);
  EXPECT_FALSE(back.vertices.has_value());
  EXPECT_FALSE(back.load_ms.has_value());
  EXPECT_FALSE(back.eligible_sources.has_value());
  EXPECT_EQ(back.provenance, facts.provenance);
}

TEST(Protocol, RepliesComeBackWhole) {
  TrialReply reply;
  reply.status = Status::oom;
  reply.reason = "not \xff UTF-8\nand a line";
  reply.time_ms = 1.25;
  LevelRow level;
  level.technique = "scan_free";
  level.edges_checked = std::uint64_t{1} << 40;
  reply.level_rows.push_back(level);
  reply.measures.resize(2);
  reply.measures[0].part = "degree=12";
  reply.measures[0].metric = "edges_checked";
  reply.measures[0].value = 0.1;
  reply.measures[0].unit = "B";
  reply.measures[1].level = 7;
  const std::string line = encode(Reply(reply));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = std::get<TrialReply>(decode_reply(line));
  EXPECT_EQ(back.status, Status::oom);
  EXPECT_EQ(back.time_ms, 1.25);
  EXPECT_FALSE(back.setup_ms.has_value());
  EXPECT_EQ(back.level_rows.at(0).edges_checked, std::uint64_t{1} << 40);
  ASSERT_EQ(back.measures.size(), 2U);
  EXPECT_EQ(back.measures[0].part, "degree=12");
  EXPECT_EQ(back.measures[0].metric, "edges_checked");
  EXPECT_EQ(back.measures[0].value, 0.1);
  EXPECT_EQ(back.measures[0].unit, "B");
  EXPECT_FALSE(back.measures[0].level.has_value());
  EXPECT_EQ(back.measures[1].level, 7U);
  EXPECT_THROW(decode_reply("{\"is\":\"nothing\"}"), std::runtime_error);
  EXPECT_THROW(decode_request("half a li"), std::runtime_error);
}

}  // namespace
}  // namespace bfslab
