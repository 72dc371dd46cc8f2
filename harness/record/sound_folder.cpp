// SPDX-License-Identifier: Apache-2.0
#include "harness/record/sound_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/rows.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace {

struct TrialOfRow {
  std::uint64_t trial = 0;
  std::size_t offset = 0;  // offset of the row in its table
};

// Reads the first column of a table, in the file's order. A field that is not a number is left to
// the readers of rows.
std::vector<TrialOfRow> trials_of(std::string_view text) {
  std::vector<TrialOfRow> trials;
  std::size_t begin = record_end(text, 0);
  if (begin == std::string_view::npos) return trials;
  for (std::size_t end = 0; (end = record_end(text, begin)) != std::string_view::npos;
       begin = end) {
    std::uint64_t trial = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, trial);
    if (error == std::errc() && *rest == ',') trials.push_back({trial, begin});
  }
  return trials;
}

// Trials are numbered in the order of their rows.
void require_ascending(const std::vector<TrialOfRow>& trials, std::string_view text,
                       const std::string& path) {
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (trials[i].trial > trials[i - 1].trial) continue;
    throw InputError(fmt::format(
        "{}:{}: trial {} follows trial {}, so it stands twice or in the wrong place: something "
        "else has changed the file; take the row out",
        path, line_of(text, trials[i].offset), trials[i].trial, trials[i - 1].trial));
  }
}

// A kill leaves details of the one trial that follows the last row.
void require_row_of_each(const std::vector<TrialOfRow>& details, const std::string& path,
                         const std::vector<TrialOfRow>& rows) {
  std::unordered_set<std::uint64_t> known;
  for (const TrialOfRow& row : rows) known.insert(row.trial);
  const std::uint64_t next = rows.empty() ? 0 : rows.back().trial + 1;
  for (const TrialOfRow& each : details) {
    if (known.contains(each.trial) || each.trial == next) continue;
    throw InputError(fmt::format(
        "{}:{}: trial {} has no row in runs.csv, whose rows were lost or changed by something "
        "else; put the file back as it was recorded, or let `bfslab run` go on with the folder, "
        "which keeps such rows aside",
        path, line_of(read_table(path), each.offset), each.trial));
  }
}

// Calls visit(fields, offset) for each complete record after the header. `fields` are those of
// `columns`; a column that the table lacks is empty.
template <typename Visit>
void each_row(std::string_view text, const std::vector<std::string>& columns, Visit&& visit) {
  std::size_t begin = record_end(text, 0);
  if (begin == std::string_view::npos) return;
  const std::vector<std::string> header = parse_csv(text.substr(0, begin)).front().fields;
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    places.push_back(static_cast<std::size_t>(std::ranges::find(header, column) - header.begin()));
  }
  std::vector<std::string> wanted(columns.size());
  for (std::size_t end = 0; (end = record_end(text, begin)) != std::string_view::npos;
       begin = end) {
    const auto records = parse_csv(text.substr(begin, end - begin));
    if (records.empty()) continue;
    const std::vector<std::string>& fields = records.front().fields;
    for (std::size_t i = 0; i < places.size(); ++i) {
      wanted[i] = places[i] < fields.size() ? fields[places[i]] : std::string();
    }
    visit(wanted, begin);
  }
}

// Returns a field as a number; 0 if it is not one.
std::uint64_t number_of(const std::string& field) {
  std::uint64_t number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number);
  return number;
}

// An instrumented search has at least one row per level, unless it measured energy.
void require_levels_of_each(std::string_view runs, const std::string& path,
                            std::string_view levels) {
  std::unordered_map<std::uint64_t, std::uint64_t> seen;  // by trial, the number of its levels
  each_row(levels, {"trial", "level"}, [&](const auto& fields, std::size_t) {
    std::uint64_t& count = seen[number_of(fields[0])];
    count = std::max(count, number_of(fields[1]) + 1);
  });
  each_row(runs, {"trial", "instrumented", "status", "source", "levels", "recorded"},
           [&](const auto& fields, std::size_t offset) {
             if (fields[1] != "1" || fields[2] != "ok" || fields[3].empty()) return;
             if (fields[5] == kEnergy) return;
             const std::uint64_t has = seen[number_of(fields[0])];
             if (has > 0 && has >= number_of(fields[4])) return;
             throw InputError(fmt::format(
                 "{}:{}: trial {} has {} levels, and levels.csv has {} of them: its rows were lost "
                 "or changed by something else; put the file back as it was recorded, or measure "
                 "again with --fresh, which moves the folder aside",
                 path, line_of(runs, offset), fields[0], number_of(fields[4]), has));
           });
}

}  // namespace

bool require_sound_folder(const std::string& folder, Details details,
                          std::span<const std::string> left_out) {
  const std::string environment = read_file(folder + "/environment.json");
  const std::vector<std::string> recorded = tables_left_out(environment);
  const auto may_be_missing = [&](std::string_view name) {
    return std::ranges::count(recorded, name) + std::ranges::count(left_out, name) > 0;
  };
  bool sealed = true;
  std::vector<std::pair<std::string, std::vector<TrialOfRow>>> of_details;
  std::vector<std::string> missing;
  std::string levels;
  // Runs come last, since an active run writes them after their details.
  for (const char* name : {"graphs", "levels", "measures", "runs"}) {
    const std::string path = table_path(folder, name);
    std::string text = read_table(path);
    if (text.empty() && may_be_missing(name)) continue;
    if (text.empty()) missing.push_back(path);
    sealed &= require_seals(text, path, environment);
    if (name == std::string_view("graphs")) continue;
    std::vector<TrialOfRow> trials = trials_of(text);
    if (name != std::string_view("runs")) {
      of_details.emplace_back(path, std::move(trials));
      if (name == std::string_view("levels")) levels = std::move(text);
      continue;
    }
    require_ascending(trials, text, path);
    if (!trials.empty() && !missing.empty() && says_sealed(environment)) {
      throw InputError(
          fmt::format("{} is empty or missing, and {} has rows: something else has changed the "
                      "folder; put the file back as it was recorded, or measure again with --fresh",
                      missing.front(), path));
    }
    if (says_sealed(environment) && !(levels.empty() && may_be_missing("levels"))) {
      require_levels_of_each(text, path, levels);
    }
    if (details == Details::may_be_left) continue;
    for (const auto& [file, of_rows] : of_details) require_row_of_each(of_rows, file, trials);
  }
  return sealed;
}

}  // namespace bfslab
