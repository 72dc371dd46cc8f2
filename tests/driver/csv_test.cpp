// SPDX-License-Identifier: Apache-2.0
#include "harness/record/csv.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/record/tables.hpp"
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

TEST(Csv, ARecordEndsWhereQuotesAreClosed) {
  const std::string text = csv_row({"1", "two\nlines"}) + csv_row({"2", "\"\n\""}) + "3,\"to";
  const std::size_t first = record_end(text, 0);
  EXPECT_EQ(text.substr(0, first), "1,\"two\nlines\"\n");
  const std::size_t second = record_end(text, first);
  EXPECT_EQ(text.substr(second), "3,\"to");
  EXPECT_EQ(record_end(text, second), std::string::npos);
}

template <typename Row>
std::string field_of(const Row& row, const std::string& column) {
  const std::vector<std::string> names = column_names<Row>();
  const auto at = std::ranges::find(names, column);
  if (at == names.end()) throw std::out_of_range(column);
  return fields(row).at(static_cast<std::size_t>(at - names.begin()));
}

// A row whose every member differs from what a new row has: each field is written and read back,
// and two columns that were declared for the same member would show.
template <typename Row>
Row unlike_any_other() {
  const auto& columns = table<Row>().columns;
  Row row;
  unsigned number = 2;
  for (const auto& column : columns) {
    ++number;
    switch (column.type) {
      case ColumnType::flag:
        column.read(row, column.write(Row{}) == "1" ? "0" : "1");
        break;
      case ColumnType::real:
        column.read(row, fmt::format("{}", number + 0.1));
        break;
      case ColumnType::list:
        column.read(row, fmt::format("{};3;1", number));
        break;
      case ColumnType::integer:
        column.read(row, fmt::format("{}", number));
        break;
      case ColumnType::text:
        column.read(row, column.name == "status" ? "timeout" : fmt::format("t,\"{}\"", number));
        break;
    }
  }
  return row;
}

template <typename Row>
void expect_whole() {
  const Row row = unlike_any_other<Row>();
  const std::vector<std::string> written = fields(row);
  ASSERT_EQ(written.size(), column_names<Row>().size());
  const std::vector<std::string> empty = fields(Row{});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& column = table<Row>().columns[i];
    EXPECT_NE(written[i], empty[i]) << column.name;
    if (column.type != ColumnType::flag) {
      EXPECT_TRUE(seen.insert(written[i]).second) << column.name << " shares a member";
    }
  }
  EXPECT_EQ(fields(row_from<Row>(parse_csv(csv_row(written)).at(0).fields)), written);
  // The driver gets every field that a worker reports, and nothing else.
  const std::vector<std::string> back = fields(row_from<Row>(worker_fields(row), true));
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& column = table<Row>().columns[i];
    EXPECT_EQ(back[i], column.from_worker ? written[i] : empty[i]) << column.name;
  }
}

TEST(Tables, EveryColumnComesBack) {
  expect_whole<RunRow>();
  expect_whole<LevelRow>();
  expect_whole<MeasureRow>();
  expect_whole<GraphRow>();
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(BFSLAB_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Tables, FilesMadeFromThemAreFresh) {
  EXPECT_EQ(text_of("plots/columns.json"), columns_as_json()) << "write it anew: make schema";
  EXPECT_EQ(text_of("docs/rows.md"), columns_as_markdown()) << "write it anew: make schema";
}

TEST(Tables, EveryColumnSaysWhatItMeans) {
  const auto rows = columns_as_rows();
  // And a seal in each of the four.
  EXPECT_EQ(rows.size(), column_names<RunRow>().size() + column_names<LevelRow>().size() +
                             column_names<MeasureRow>().size() + column_names<GraphRow>().size() +
                             4);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 5U);
    EXPECT_TRUE(row.back().ends_with('.')) << row[0] << ' ' << row[1];
  }
  EXPECT_EQ(columns_as_rows("levels").size(), column_names<LevelRow>().size() + 1);
  EXPECT_THROW(columns_as_rows("level"), InputError);
}

TEST(Tables, NumbersKeepEveryDigit) {
  RunRow row;
  row.time_ms = 0.1 + 0.2;
  EXPECT_EQ(row_from<RunRow>(fields(row)).time_ms, row.time_ms);
  LevelRow level;
  level.edges_checked = ~std::uint64_t{0};
  EXPECT_EQ(row_from<LevelRow>(fields(level)).edges_checked, level.edges_checked);
}

TEST(Tables, WhatWasNotMeasuredIsEmpty) {
  const LevelRow level = row_from<LevelRow>(fields(LevelRow{}));
  EXPECT_FALSE(level.edges_checked.has_value());
  EXPECT_EQ(field_of(LevelRow{}, "time_ms"), "");
  EXPECT_EQ(field_of(RunRow{}, "source"), "");
  EXPECT_EQ(field_of(RunRow{}, "polluted"), "0");
}

TEST(Tables, NonsenseIsRefusedWithItsColumn) {
  const auto refused = [](const std::string& column, const std::string& text) -> std::string {
    std::vector<std::string> row = fields(RunRow{});
    const auto names = column_names<RunRow>();
    row[static_cast<std::size_t>(std::ranges::find(names, column) - names.begin())] = text;
    try {
      row_from<RunRow>(row);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("status", "fine"), "status: found status \"fine\"");
  EXPECT_EQ(refused("time_ms", "1,5"), "time_ms: found \"1,5\" where a number belongs");
  EXPECT_EQ(refused("repeat", ""), "repeat: found \"\" where a number belongs");
  EXPECT_EQ(refused("validated", "yes"), "validated: found \"yes\" where 0 or 1 belongs");
  std::vector<std::string> row = fields(RunRow{});
  row.pop_back();
  EXPECT_THROW(row_from<RunRow>(row), std::invalid_argument);
  row.resize(row.size() + 2);
  EXPECT_THROW(row_from<RunRow>(row), std::invalid_argument);
}

// For a graph that was never built most facts are unknown: empty fields, which are read back as
// such.
TEST(Rows, AGraphThatWasNeverBuilt) {
  GraphRow graph;
  graph.graph = "kronecker:scale=31";
  graph.graph_hash = "recipe-0123456789abcdef";
  graph.vertices = std::uint64_t{1} << 31;
  EXPECT_EQ(field_of(graph, "vertices"), "2147483648");
  for (const char* unknown : {"edges", "input_edges", "max_degree", "isolated_vertices",
                              "graph_bytes", "load_ms", "eligible_sources", "sources"}) {
    EXPECT_EQ(field_of(graph, unknown), "") << unknown;
  }
  const GraphRow back = row_from<GraphRow>(fields(graph));
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
  facts.graph_hash = "recipe-0";
  facts.edges = 9;
  facts.sources = {4, 2};
  facts.provenance = "built=no";
  facts.profiled = true;
  const auto back = std::get<GraphFactsReply>(decode_reply(encode(Reply(facts))));
  EXPECT_EQ(back.graph_hash, "recipe-0");
  EXPECT_EQ(back.sources, facts.sources);
  EXPECT_TRUE(back.profiled);
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
  level.rank = 1;
  level.gpu = 2;
  level.part = "nn";
  level.technique = "scan_free";
  level.bytes_sent = 4096;
  level.time_ms = 0.25;
  level.clock = "device_timer";
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
  EXPECT_EQ(fields(back.level_rows.at(0)), fields(level));
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
