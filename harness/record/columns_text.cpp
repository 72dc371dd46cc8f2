// SPDX-License-Identifier: Apache-2.0
// The tables of columns for readers outside: JSON for plots/load.py, Markdown for docs/rows.md, and
// rows for the terminal.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

const char* to_text(ColumnType type) {
  constexpr const char* kNames[] = {"text", "integer", "real", "flag", "list"};
  return kNames[static_cast<int>(type)];
}

struct TableFacts {
  std::string name;
  std::string doc;
  std::vector<ColumnFacts> columns;
};

template <typename Row>
TableFacts facts_of() {
  const Table<Row>& of = table<Row>();
  return {of.name, of.doc, {of.columns.begin(), of.columns.end()}};
}

// All of them where `name` is empty.
std::vector<TableFacts> tables(std::string_view name) {
  std::vector<TableFacts> all = {facts_of<RunRow>(), facts_of<LevelRow>(), facts_of<MeasureRow>(),
                                 facts_of<GraphRow>()};
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (const TableFacts& table : all) {
    if (table.name == name) return {table};
    names.push_back(table.name);
  }
  throw InputError(
      fmt::format("no table is called \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace

std::string columns_as_json(std::string_view name) {
  Json json = Json::object();
  for (const TableFacts& table : tables(name)) {
    Json& columns = json[table.name] = Json::array();
    for (const ColumnFacts& column : table.columns) {
      columns.push_back({{"name", column.name},
                         {"type", to_text(column.type)},
                         {"nullable", column.nullable},
                         {"unit", column.unit},
                         {"doc", column.doc}});
    }
  }
  return json.dump(1) + "\n";
}

std::string columns_as_markdown(std::string_view name) {
  std::string text = R"(# Rows

`bfslab run` leaves one folder for each experiment. Its rows are CSV files with a header, one row a
line, values quoted where they must be; `bfslab list columns` prints what follows, and
`bfslab list columns --json` prints it for programs.

- A column's unit is in its name or in the table below. Counts are stored, and rates are derived by
  whoever draws.
- `flag` is 0 or 1, `list` is numbers joined by `;`.
- A value that was not measured is an empty field, never a zero. Only a column that says so may be
  empty, and only such a column may be missing from a file that an older version wrote: whoever reads
  the file takes it as empty.
- `spec.json` beside them is the spec that asks for them. It may have grown since the first rows.
- `environment.json` says what the machine was. `builds` has every build of the program that wrote rows,
  and `resumed` every later run with its build and its spec's hash. `previous_spec_hash` stands where the
  spec had grown, and `repeats_before` where it asked for more repeats: those are another process's.
- `format` in `environment.json` is the format of the folder, 2. Version 0.2.0 wrote no such key: its rows
  have no column `commit`, and are all of one build. Every version reads the formats before its own, and
  `bfslab run` brings a folder that it continues into the present one. A newer format is refused.

`bfslab pack RESULTS` compresses the tables that grow with the trials, of every folder in RESULTS: `runs.csv.gz`,
`levels.csv.gz` and `measures.csv.gz`. `bfslab pack --undo RESULTS` unpacks them. The commands, figures, claims and
notebooks of bfslab read either form, and `bfslab run` unpacks a folder before it adds rows to it. Where a folder has
both forms of one table, they say which may be deleted.
)";
  for (const TableFacts& table : tables(name)) {
    text += fmt::format("\n## {}.csv\n\n{}\n\n", table.name, table.doc);
    text += "| column | type | unit | may be empty | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const ColumnFacts& column : table.columns) {
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", column.name, to_text(column.type),
                          column.unit, column.nullable ? "yes" : "", column.doc);
    }
  }
  return text;
}

std::vector<std::vector<std::string>> columns_as_rows(std::string_view name) {
  std::vector<std::vector<std::string>> rows;
  for (const TableFacts& table : tables(name)) {
    for (const ColumnFacts& column : table.columns) {
      rows.push_back(
          {table.name + ".csv", column.name, to_text(column.type), column.unit, column.doc});
    }
  }
  return rows;
}

}  // namespace bfslab
