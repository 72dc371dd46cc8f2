// SPDX-License-Identifier: Apache-2.0
#include "harness/record/row_reader.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/present_columns.hpp"

namespace bfslab {

namespace {

// Rows with equal keys are attempts of one trial.
auto trial_of(const RunRow& row) {
  return std::tuple(row.case_name, row.graph, row.graph_hash, row.engine, row.toggles, row.ranks,
                    row.gpus_per_rank, row.source, row.repeat, row.instrumented, row.recorded);
}

}  // namespace

template <typename Row>
std::vector<Row> read_rows(const std::string& text, const std::string& path, Damage damage) {
  const std::vector<CsvRecord> records = parse_csv(text);
  if (damage == Damage::refuse) require_sound_table(text, path);
  std::vector<Row> rows;
  if (records.empty()) return rows;
  const std::vector<std::string> header = present_names<Row>(records.front().fields, path);
  std::vector<std::pair<const Column<Row>*, std::size_t>> places;
  for (const Column<Row>& column : table<Row>().columns) {
    const auto found = std::ranges::find(header, column.name);
    if (found != header.end()) {
      places.emplace_back(&column, found - header.begin());
    } else if (!column.nullable && damage == Damage::refuse) {
      throw InputError(
          fmt::format("{}: no column {}; is it a file of `bfslab run`?", path, column.name));
    }
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& fields = records[i].fields;
    Row row;
    try {
      if (fields.size() != header.size()) {
        throw std::invalid_argument(
            fmt::format("found {} fields, expected {}", fields.size(), header.size()));
      }
      for (const auto& [column, place] : places) column->read(row, fields[place]);
      if constexpr (std::is_same_v<Row, RunRow>) {
        if (const std::string why = impossible_time(row); !why.empty()) {
          throw std::invalid_argument(why);
        }
      }
    } catch (const std::invalid_argument& error) {
      if (damage == Damage::pass_over) continue;
      throw InputError(fmt::format("{}:{}: row {}: {}; something else has changed the file", path,
                                   line_of(text, records[i].begin), i + 1, error.what()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

template std::vector<RunRow> read_rows(const std::string&, const std::string&, Damage);
template std::vector<GraphRow> read_rows(const std::string&, const std::string&, Damage);
template std::vector<MeasureRow> read_rows(const std::string&, const std::string&, Damage);

std::vector<RunRow> standing_rows(std::vector<RunRow> rows) {
  std::map<decltype(trial_of(RunRow())), std::uint64_t> failed;
  for (const RunRow& row : rows) {
    if (row.status != Status::ok) failed[trial_of(row)] = row.trial;
  }
  std::erase_if(rows, [&](const RunRow& row) {
    const auto failure = failed.find(trial_of(row));
    return failure != failed.end() && row.trial < failure->second;
  });
  return rows;
}

std::vector<RunRow> counted_rows(std::vector<RunRow> rows) {
  rows = standing_rows(std::move(rows));
  // A failure of a trial comes before its attempts that are ok, among the rows that are left.
  const auto rank = [](const RunRow& row) {
    const bool polluted = is_spoilt(row);
    return std::tuple(row.status != Status::ok, polluted,
                      polluted ? row.foreign_load_pct.value_or(0) : 0.0);
  };
  std::map<decltype(trial_of(RunRow())), std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [found, is_first] = best.try_emplace(trial_of(rows[i]), i);
    if (!is_first && rank(rows[i]) < rank(rows[found->second])) found->second = i;
  }
  std::vector<RunRow> counted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (best.at(trial_of(rows[i])) == i) counted.push_back(std::move(rows[i]));
  }
  return counted;
}

}  // namespace bfslab
