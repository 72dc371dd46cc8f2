// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/profile_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/profile/ncu_report.hpp"
#include "harness/record/agreement.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/directory_lock.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/table_file.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

// The number of the configuration in the spec distinguishes the points of a sweep in one case.
bool belongs(const Spec& spec, const KernelPlace& place, const RunRow& row) {
  if (row.status != Status::ok || row.instrumented || row.source != place.source ||
      row.case_name != place.case_name || row.graph != place.graph) {
    return false;
  }
  const std::size_t c = place.configuration.value_or(spec.configurations.size());
  return c >= spec.configurations.size() || spec.configurations[c].toggles.text() == row.toggles;
}

void refuse_second_time(const std::string& path, const std::set<std::string>& trials,
                        const std::string& file) {
  for (const CsvRecord& record : parse_csv(read_file(path))) {
    if (record.fields.size() > 3 && trials.contains(record.fields.front()) &&
        record.fields[3].starts_with("kernel=")) {
      throw InputError(
          fmt::format("{}: trial {} has counters of kernels already; {} is not added "
                      "a second time",
                      path, record.fields.front(), file));
    }
  }
}

}  // namespace

ImportedCounters import_counters(const Spec& spec, const fs::path& folder, const std::string& file,
                                 const std::vector<std::string>& own_metrics) {
  if (!fs::is_regular_file(file)) throw InputError(fmt::format("{}: no such file", file));
  const std::string runs = (folder / "runs.csv").string();
  if (!has_table(folder.string(), "runs")) {
    throw InputError(fmt::format("{}: no rows there that counters could belong to", runs));
  }
  const auto counted = read_ncu_csv(read_file(file), file, own_metrics);
  const DirectoryLock lock(folder.string());
  require_sound_folder(folder.string());
  unpack_tables(folder.string());
  std::vector<std::string> added;
  std::set<std::string> trials;
  ImportedCounters imported{(folder / "measures.csv").string()};
  const std::vector<RunRow> rows =
      standing_rows(read_rows<RunRow>(read_file(runs), runs, Damage::pass_over));
  for (const auto& [place, counts] : counted) {
    const KernelPlace& where = place;
    const auto row =
        std::ranges::find_if(rows, [&](const RunRow& each) { return belongs(spec, where, each); });
    if (row == rows.end()) {
      ++imported.unmatched;
      continue;
    }
    trials.insert(std::to_string(row->trial));
    for (MeasureRow measure : measure_rows(place, counts)) {
      measure.trial = row->trial;
      added.push_back(csv_row(fields(measure)));
    }
  }
  if (added.empty()) {
    const KernelPlace& first = counted.begin()->first;
    throw InputError(
        fmt::format("{}: none of its kernels belongs to a row of {}: one ran in case \"{}\" on "
                    "{} from vertex {}, of which there is no row that is ok",
                    file, runs, first.case_name, first.graph, first.source));
  }
  refuse_second_time(imported.file, trials, file);
  const std::string begun = begun_at(read_file((folder / "environment.json").string()));
  TableFile measures(imported.file, column_names<MeasureRow>(), begun);
  measures.append(added);
  measures.sync();
  imported.trials = trials.size();
  return imported;
}

}  // namespace bfslab
