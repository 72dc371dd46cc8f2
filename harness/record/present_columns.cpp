// SPDX-License-Identifier: Apache-2.0
#include "harness/record/present_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/seal.hpp"

namespace bfslab {

namespace {

std::vector<std::string> header_of(const std::string& text) {
  const std::size_t end = record_end(text, 0);
  if (end == std::string::npos) return {};
  return parse_csv(std::string_view(text).substr(0, end)).front().fields;
}

}  // namespace

template <typename Row>
std::vector<std::string> present_names(std::vector<std::string> header, const std::string& path) {
  for (auto name = header.begin(); name != header.end(); ++name) {
    const std::string found = *name;
    *name = present_name<Row>(found);
    if (std::find(header.begin(), name, *name) == name) continue;
    throw InputError(fmt::format(
        "{}:1: the columns {} and {} are one; something else has changed the file: take one out",
        path, *name, found));
  }
  return header;
}

template <typename Row>
bool has_present_columns(const std::string& path, const std::string& text) {
  const std::vector<std::string> header = header_of(text);
  if (header.empty()) return true;
  std::vector<std::string> known = column_names<Row>();
  known.emplace_back(kSealColumn);
  if (header == known) return true;
  const std::vector<std::string> found = present_names<Row>(header, path);
  for (const std::string& name : found) {
    if (std::ranges::find(known, name) == known.end()) {
      throw InputError(
          fmt::format("{}: this version of bfslab knows no column \"{}\"; {}", path, name, kAside));
    }
  }
  for (const auto& column : table<Row>().columns) {
    if (!column.nullable && std::ranges::find(found, column.name) == found.end()) {
      throw InputError(fmt::format("{}: it has no column \"{}\"; {}", path, column.name, kAside));
    }
  }
  return false;
}

template <typename Row>
std::vector<std::string> with_present_columns(const std::string& path, const std::string& text,
                                              const std::map<std::string, std::string>& commits) {
  const std::vector<CsvRecord> records = parse_csv(text);
  const std::vector<std::string> header = present_names<Row>(records.front().fields, path);
  const std::vector<std::string> columns = column_names<Row>();
  const auto place_of = [&](const std::string& column) {
    return static_cast<std::size_t>(std::ranges::find(header, column) - header.begin());
  };
  std::vector<std::size_t> places;
  for (const std::string& column : columns) places.push_back(place_of(column));
  const std::size_t build = place_of("build_hash");
  std::vector<std::string> rows;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& old = records[i].fields;
    if (old.size() != header.size()) {
      throw InputError(fmt::format("{}: row {}: found {} fields, expected {}; {}", path, i + 1,
                                   old.size(), header.size(), kAside));
    }
    std::vector<std::string> fields;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool has = places[c] < header.size();
      fields.push_back(has ? old[places[c]] : std::string());
      if (has || columns[c] != "commit" || build == header.size()) continue;
      if (const auto known = commits.find(old[build]); known != commits.end()) {
        fields.back() = known->second;
      }
    }
    rows.push_back(csv_row(fields));
  }
  return rows;
}

using Rows = std::vector<std::string>;
template Rows present_names<RunRow>(Rows, const std::string&);
template Rows present_names<LevelRow>(Rows, const std::string&);
template Rows present_names<MeasureRow>(Rows, const std::string&);
template Rows present_names<GraphRow>(Rows, const std::string&);
template bool has_present_columns<RunRow>(const std::string&, const std::string&);
template bool has_present_columns<LevelRow>(const std::string&, const std::string&);
template bool has_present_columns<MeasureRow>(const std::string&, const std::string&);
template bool has_present_columns<GraphRow>(const std::string&, const std::string&);

using Commits = std::map<std::string, std::string>;
template Rows with_present_columns<RunRow>(const std::string&, const std::string&, const Commits&);
template Rows with_present_columns<LevelRow>(const std::string&, const std::string&,
                                             const Commits&);
template Rows with_present_columns<MeasureRow>(const std::string&, const std::string&,
                                               const Commits&);
template Rows with_present_columns<GraphRow>(const std::string&, const std::string&,
                                             const Commits&);

}  // namespace bfslab
