// SPDX-License-Identifier: Apache-2.0
// The tables of columns for readers outside: JSON for plots/load.py, Markdown for docs/rows.md, and
// rows for the terminal.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

const char* to_text(ColumnType type) {
  constexpr const char* kNames[] = {"text", "integer", "real", "flag", "list"};
  return kNames[static_cast<int>(type)];
}

// The page docs/rows.md before its tables; the gap is for old_names().
constexpr const char* kRowsPage = R"(# Rows

`bfslab run` leaves one folder for each experiment. Its rows are CSV files with a header, one row a
line, values quoted where they must be; `bfslab list columns` prints what follows, and
`bfslab list columns --json` prints it for programs.

- A column's unit is in its name or in the table below. Counts are stored, and rates are derived by
  the reader.
- `flag` is 0 or 1, `list` is numbers joined by `;`.
- A value that was not measured is an empty field, never a zero. Only a column that says so may be
  empty, and only such a column may be missing from a file that an older version wrote: readers take
  it as empty.
- `spec.json` beside them is the spec that asks for them. It may have grown since the first rows.
- `environment.json` says what the machine was, and on a cluster the Slurm job (`slurm_job`) and the
  loaded modules (`modules`). `builds` has every build of the program that wrote rows,
  and `resumed` every later run with its build and its spec's hash. `previous_spec_hash` stands where the
  spec had grown, and `repeats_before` where it asked for more repeats: those are another process's.

## Formats

`format` in `environment.json` is the format of the folder, 3. Every version reads the formats before its own, and
`bfslab run` brings a folder that it continues into the present one. A newer format is refused.

| format | difference from the next one |
| --- | --- |
| 2 | Rows have no seals. Columns have older names: {}. |
| 1 | `environment.json` has no key `format`: version 0.2.0 wrote none. Rows have no column `commit`, and are all of one build. |

## Seals

The last column of every table is the row's seal: the first 16 hexadecimal digits of SHA-256 over the seal of the row
before it, a line end, and the row as it stands in the file, without its last comma and its seal. The first row follows
from the header, sealed in the same way, which follows from the table's name, a blank and `utc` of `environment.json`
(`runs 2026-03-01T12:00:00.123Z`). `sealed` in `environment.json` says that every row of the folder has one.

A row that was changed, taken out, put in, doubled, moved or taken from another folder no longer follows from the row
before it. `bfslab run`, `doctor`, `compare`, `pack`, the figures and the claims then refuse the folder, with the file,
the line, and exit code 2. Put the file back as it was recorded, or measure again with `--fresh`, which moves the folder
aside. They also refuse a trial that stands twice, and rows of `levels.csv` or `measures.csv` whose trial has
no row in `runs.csv`, except for the one trial that a kill may have ended.

Seals guard against accidents and careless hands. They do not guard against a forger: with this page anyone can compute
them. Nor do they show that rows at the very end of `runs.csv` are gone, which looks like a run that ended early; rows in
`levels.csv` and `measures.csv` without a row in `runs.csv` show that, and an instrumented search whose levels are not
all in `levels.csv`.

Folders of formats 1 and 2 stay readable. `bfslab doctor` says how many experiments of a machine have rows without
seals. When `bfslab run` continues such a folder it seals the rows as it finds them.

## What a run does with unfinished rows

A run that was killed may leave a torn last line, which the next run trims. Complete rows of `levels.csv` and
`measures.csv` whose trial has no row, and rows of graphs that could not be loaded and are tried again, are moved to
files beside the table (`levels.aside.csv`, `levels.aside-2.csv`), and a message says so. Nothing reads these files.

## Packed tables

`bfslab pack RESULTS` compresses the tables that grow with the trials, of every folder in RESULTS: `runs.csv.gz`,
`levels.csv.gz` and `measures.csv.gz`. `bfslab pack --undo RESULTS` unpacks them. The commands, figures, claims and
notebooks of bfslab read either form, and `bfslab run` unpacks a folder before it adds rows to it. Where a folder has
both forms of one table, they say which may be deleted.

`bfslab pack --leave-out levels RESULTS` (or `measures`, or both with a comma) removes these tables for good, where they
are too large to keep. `left_out` in environment.json says so: everything then reads the folder without them, and no run
adds rows to it.
)";

struct TableFacts {
  std::string name;
  std::string doc;
  std::vector<ColumnFacts> columns;
};

template <typename Row>
TableFacts facts_of() {
  const auto& [name, doc, own_columns] = table<Row>();
  std::vector<ColumnFacts> columns(own_columns.begin(), own_columns.end());
  columns.push_back({std::string(kSealColumn), ColumnType::text, true, "",
                     "A checksum of the row and of the seal before it; missing from tables of "
                     "formats 1 and 2."});
  return {name, doc, columns};
}

// Returns the table of that name, or all of them if `name` is empty.
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

// Returns "`checked` is now `validated`" for each column that has another name in older formats.
std::vector<std::string> old_names() {
  std::vector<std::string> all;
  for (const TableFacts& table : tables({})) {
    for (const ColumnFacts& column : table.columns) {
      if (column.old_name.empty()) continue;
      all.push_back(fmt::format("`{}` is now `{}`", column.old_name, column.name));
    }
  }
  return all;
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
      if (!column.old_name.empty()) columns.back()["old_name"] = column.old_name;
    }
  }
  return json.dump(1) + "\n";
}

std::string columns_as_markdown(std::string_view name) {
  std::string text = fmt::format(kRowsPage, fmt::join(old_names(), ", "));
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
