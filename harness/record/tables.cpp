// SPDX-License-Identifier: Apache-2.0
#include "harness/record/tables.hpp"

namespace bfslab {

#define WORKER_COLUMN(type, member, ...) \
  make_column<Row>(true, #member, &Row::member, {__VA_ARGS__}),
#define DRIVER_COLUMN(type, member, ...) \
  make_column<Row>(false, #member, &Row::member, {__VA_ARGS__}),

template <>
const Table<RunRow>& table<RunRow>() {
  using Row = RunRow;
  static const Table<Row> runs = {
      "runs",
      "One attempt at one traversal. A counter's row has no source and is instrumented; "
      "measures.csv has its results. A graph that could not be loaded has a row without a source "
      "that is not instrumented. If `recorded` is `energy`, the energy of several searches in a "
      "row "
      "was measured.",
      {
#include "harness/record/run_columns.def"
      }};
  return runs;
}

template <>
const Table<LevelRow>& table<LevelRow>() {
  using Row = LevelRow;
  static const Table<Row> levels = {
      "levels",
      "One level of one instrumented trial. Where several GPUs or ranks took part, a row is one "
      "part of them in the level: the counts of a level's parts add up, and its time is that of "
      "the slowest GPU.",
      {
#include "harness/record/level_columns.def"
      }};
  return levels;
}

template <>
const Table<MeasureRow>& table<MeasureRow>() {
  using Row = MeasureRow;
  static const Table<Row> measures = {
      "measures",
      "One value that was counted or measured and is not a column of the other files.",
      {
#include "harness/record/measure_columns.def"
      }};
  return measures;
}

template <>
const Table<GraphRow>& table<GraphRow>() {
  using Row = GraphRow;
  static const Table<Row> graphs = {
      "graphs",
      "One graph of the experiment, as it was loaded. Some graphs are never built: a counter reads "
      "their recipe, or distributed engines make their own parts of them. Their sizes follow from "
      "the name, and `edges` is then an upper bound.",
      {
#include "harness/record/graph_columns.def"
      }};
  return graphs;
}

#undef WORKER_COLUMN
#undef DRIVER_COLUMN

}  // namespace bfslab
