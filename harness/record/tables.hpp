// SPDX-License-Identifier: Apache-2.0
// The four tables that an experiment leaves behind, each with its columns in their order.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/column.hpp"
#include "harness/record/rows.hpp"

namespace bfslab {

template <typename Row>
struct Table {
  std::string name;  // "runs": the file is runs.csv
  std::string doc;
  std::vector<Column<Row>> columns;
};

template <typename Row>
const Table<Row>& table();
template <>
const Table<RunRow>& table<RunRow>();
template <>
const Table<LevelRow>& table<LevelRow>();
template <>
const Table<MeasureRow>& table<MeasureRow>();
template <>
const Table<GraphRow>& table<GraphRow>();

template <typename Row>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const auto& column : table<Row>().columns) names.push_back(column.name);
  return names;
}

// Returns the present name of a column of the table, which older formats may call otherwise.
template <typename Row>
std::string present_name(const std::string& column) {
  for (const auto& each : table<Row>().columns) {
    if (!each.old_name.empty() && each.old_name == column) return each.name;
  }
  return column;
}

// The fields of a row of the file, in the order of its columns, without its seal (seal.hpp).
template <typename Row>
std::vector<std::string> fields(const Row& row) {
  std::vector<std::string> all;
  for (const auto& column : table<Row>().columns) all.push_back(column.write(row));
  return all;
}

// The fields that a worker sends to the driver: those of its own columns, in their order.
template <typename Row>
std::vector<std::string> worker_fields(const Row& row) {
  std::vector<std::string> sent;
  for (const auto& column : table<Row>().columns) {
    if (column.from_worker) sent.push_back(column.write(row));
  }
  return sent;
}

// Reads a row back from `fields` or, with `only_worker`, from `worker_fields`. Throws
// std::invalid_argument, which names the column, where a field makes no sense.
template <typename Row>
Row row_from(const std::vector<std::string>& fields, bool only_worker = false) {
  Row row;
  std::size_t next = 0;
  std::size_t expected = 0;
  for (const auto& column : table<Row>().columns) {
    if (only_worker && !column.from_worker) continue;
    ++expected;
    if (next == fields.size()) continue;
    try {
      column.read(row, fields[next++]);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", column.name, error.what()));
    }
  }
  if (fields.size() != expected) {
    throw std::invalid_argument(
        fmt::format("found {} fields, expected {}", fields.size(), expected));
  }
  return row;
}

// The table of that name, or all four if it is empty, for readers outside this program: as JSON
// (plots/rows.py reads plots/columns.json), as the page docs/rows.md, and for a terminal, where
// each row is file, column, type, unit, meaning. Throw InputError if there is no such table.
std::string columns_as_json(std::string_view name = {});
std::string columns_as_markdown(std::string_view name = {});
std::vector<std::vector<std::string>> columns_as_rows(std::string_view name = {});

}  // namespace bfslab
