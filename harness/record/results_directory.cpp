// SPDX-License-Identifier: Apache-2.0
#include "harness/record/results_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_set>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/present_columns.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/spec_rows.hpp"
#include "harness/record/tables.hpp"
#include "harness/spec/growth.hpp"

namespace bfslab {

namespace fs = std::filesystem;

struct StoredTable {
  std::vector<CsvRecord> records;  // without the header, their fields without the seal
  std::string text;
  bool torn = false;

  [[nodiscard]] std::string_view text_of(const CsvRecord& record) const {
    return std::string_view(text).substr(record.begin, record.end - record.begin);
  }
};

namespace {

// "2026-03-01T12:00:00.123Z" without what a file name should not contain.
std::string utc_for_a_name() {
  std::string text = utc_now();
  std::erase_if(text, [](char c) { return c == ':' || c == '.'; });
  return text;
}

// Reads a table and cuts off a torn tail, on disk too.
StoredTable read_records(const std::string& path) {
  StoredTable table;
  table.text = read_file(path);
  table.records = parse_csv(table.text);
  const std::size_t complete = table.records.empty() ? 0 : table.records.back().end;
  if (complete < table.text.size()) {
    std::error_code error;
    fs::resize_file(path, complete, error);
    if (error) throw StorageError(fmt::format("cannot trim {}: {}", path, error.message()));
    table.text.resize(complete);
    table.torn = true;
  }
  if (table.records.empty()) return table;
  table.records.erase(table.records.begin());
  for (CsvRecord& record : table.records) record.fields.pop_back();  // its seal
  return table;
}

template <typename Row>
Row parse_row(const CsvRecord& record, const std::string& path, std::size_t index) {
  try {
    return row_from<Row>(record.fields);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format(
        "{}: row {}: {}; the file was changed by something else: mend it, move it aside with "
        "--fresh, or name another folder with --results",
        path, index + 1, error.what()));
  }
}

// A name beside `path` that no file has: runs.aside.csv, runs.aside-2.csv.
std::string name_aside(const std::string& path) {
  const fs::path file(path);
  const std::string stem = (file.parent_path() / file.stem()).string() + ".aside";
  std::string name = stem + ".csv";
  for (int again = 2; fs::exists(fs::symlink_status(name)); ++again) {
    name = fmt::format("{}-{}.csv", stem, again);
  }
  return name;
}

}  // namespace

ResultsDirectory::ResultsDirectory(const ResultsOptions& options)
    : path_((fs::path(options.root) / options.spec.name).string()),
      journal_(options.spec.pollution.attempts, options.identity.build_hash),
      sync_interval_s_(options.sync_interval_s) {
  try {
    open_or_create(options);
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::no_space_on_device) {
      throw StorageError(fmt::format("cannot write {}: the disk is full", path_));
    }
    throw InputError(fmt::format("cannot write to {}: {}; name another folder with --results",
                                 path_, error.code().message()));
  }
  repair();
  trials_reopened_ = journal_.reopen(options.retry);
  runs_.emplace(path_ + "/runs.csv", column_names<RunRow>(), begun_);
  levels_.emplace(path_ + "/levels.csv", column_names<LevelRow>(), begun_);
  measures_.emplace(path_ + "/measures.csv", column_names<MeasureRow>(), begun_);
  graph_table_.emplace(path_ + "/graphs.csv", column_names<GraphRow>(), begun_);
  for (const std::string& folder : {path_, options.root}) sync_folder(folder);
}

void ResultsDirectory::open_or_create(const ResultsOptions& options) {
  fs::create_directories(path_);
  lock_.emplace(path_);
  if (options.fresh && (fs::exists(path_ + "/spec.json") || has_table(path_, "runs"))) {
    const fs::path aside = fs::path(options.root) / ".previous";
    fs::create_directories(aside);
    const std::string name = fmt::format("{}-{}", options.spec.name, utc_for_a_name());
    fs::path target = aside / name;
    for (int again = 2; fs::exists(target); ++again) {
      target = aside / fmt::format("{}-{}", name, again);
    }
    fs::rename(path_, target);  // the lock moves along and is released below
    moved_to_ = target.string();
    fs::create_directories(path_);
    lock_.emplace(path_);
  }
  const std::string environment = describe_environment(options.identity);
  environment_ = environment_id(environment);
  const std::string environment_path = path_ + "/environment.json";
  resumed_ = fs::exists(path_ + "/spec.json");
  Growth before;
  if (resumed_) {
    before = examine(options, environment);
  } else if (has_table(path_, "runs")) {
    throw InputError(fmt::format(
        "{} holds a runs.csv without a spec.json, so it is unknown what its rows measured; use "
        "--fresh to move it aside, or name another folder with --results",
        path_));
  }
  unpacked_ = unpack_tables(path_).tables > 0;
  const std::string spec_path = path_ + "/spec.json";
  if (!resumed_) {
    begun_ = begun_at(environment);
    // spec.json last: a directory that has it has everything.
    write_file_atomically(environment_path, environment);
    write_file_atomically(spec_path, options.spec.canonical);
    return;
  }
  // Tables first, by what environment.json says of their rows; spec.json last, whose hash and the
  // one before it environment.json has then.
  const std::string recorded = read_file(environment_path);
  begun_ = begun_at(recorded);
  const std::map<std::string, std::string> commits = commits_of_builds(recorded);
  upgrade_table<RunRow>("runs", commits);
  upgrade_table<LevelRow>("levels", commits);
  upgrade_table<MeasureRow>("measures", commits);
  upgrade_table<GraphRow>("graphs", commits);
  const bool grown = before.spec_hash != options.spec.hash;
  if (grown) grown_from_ = before.spec_hash;
  const std::string resumed =
      add_resumption(recorded, environment, options.identity, grown ? &before : nullptr);
  write_file_atomically(environment_path, resumed);
  with_this_build_ = add_build(resumed, environment);
  if (with_this_build_ == resumed) with_this_build_.clear();
  if (read_file(spec_path) != options.spec.canonical) {
    write_file_atomically(spec_path, options.spec.canonical);
  }
}

template <typename Row>
void ResultsDirectory::upgrade_table(const std::string& name,
                                     const std::map<std::string, std::string>& commits) {
  const std::string path = fmt::format("{}/{}.csv", path_, name);
  const std::string text = read_file(path);
  if (has_present_columns<Row>(path, text)) return;
  write_file_atomically(path, sealed_table(path, begun_, column_names<Row>(),
                                           with_present_columns<Row>(path, text, commits)));
  upgraded_.push_back(name + ".csv");
}

// Throws InputError where this run may not add to the folder. Returns the spec that it has.
Growth ResultsDirectory::examine(const ResultsOptions& options,
                                 const std::string& environment) const {
  const Spec& spec = options.spec;
  const std::string recorded = read_file(path_ + "/environment.json");
  require_known_format(recorded, path_);
  if (const std::string other = machine_difference(recorded, environment); !other.empty()) {
    throw InputError(
        fmt::format("{} holds rows of another machine ({}): {}", path_, other, kAside));
  }
  const std::string recorded_spec = read_file(path_ + "/spec.json");
  if (!is_recorded_spec(recorded, recorded_spec)) {
    throw InputError(
        fmt::format("{}/spec.json is not the spec of these rows: something else has changed it; {}",
                    path_, kAside));
  }
  if (const auto change = protocol_change(recorded_spec, spec.canonical)) {
    throw InputError(fmt::format(
        "{} holds rows with `{}` = {}, and {} (with its --set) says {}: such rows cannot share a "
        "folder; {}",
        path_, change->key, change->recorded, spec.file, change->wanted, kAside));
  }
  if (const auto left_out = tables_left_out(recorded); !left_out.empty()) {
    throw InputError(fmt::format(
        "{} lacks {}.csv, which `bfslab pack --leave-out` removed: no rows can be added to it; {}",
        path_, left_out.front(), kAside));
  }
  require_sound_folder(path_, Details::may_be_left);
  const auto rows_of = [&]<typename Row>(const char* name) {
    const std::string path = table_path(path_, name);
    std::string text = read_table(path);
    has_present_columns<Row>(path, text);
    return text;
  };
  const std::string runs = rows_of.operator()<RunRow>("runs");
  const std::string graphs = rows_of.operator()<GraphRow>("graphs");
  rows_of.operator()<LevelRow>("levels");
  rows_of.operator()<MeasureRow>("measures");
  const std::vector<RunRow> rows = read_rows<RunRow>(runs, path_ + "/runs.csv", Damage::refuse);
  require_own_rows(recorded, rows, path_ + "/runs.csv");
  const LostRows lost =
      lost_rows(spec, rows, read_rows<GraphRow>(graphs, path_ + "/graphs.csv", Damage::refuse));
  if (lost.count > 0) {
    throw InputError(fmt::format(
        "{} holds {} row{} that {} (with its --set) does not ask for, the first of {}; a spec may "
        "grow, and may not shrink: put back what is missing, {}",
        path_, lost.count, lost.count == 1 ? "" : "s", spec.file, lost.first, kAside));
  }
  const unsigned repeats = max_repeats(recorded_spec);
  return {spec_hash_of(recorded_spec), repeats, spec.repeats.maximum > repeats};
}

void ResultsDirectory::repair() {
  const std::string runs_path = path_ + "/runs.csv";
  const StoredTable runs = read_records(runs_path);
  std::vector<RunRow> finished;
  std::unordered_set<std::string> committed;
  for (std::size_t i = 0; i < runs.records.size(); ++i) {
    const RunRow row = parse_row<RunRow>(runs.records[i], runs_path, i + 1);
    next_trial_ = std::max(next_trial_, row.trial + 1);
    if (is_graph_failure(row)) continue;  // it is tried again
    journal_.add(row);
    environments_.insert(row.environment);
    builds_.try_emplace(row.build_hash, row.commit);
    committed.insert(runs.records[i].fields[0]);
    ++rows_found_;
    finished.push_back(row);
  }
  lines_trimmed_ += runs.torn ? 1 : 0;
  const auto is_committed = [&](const CsvRecord& record) {
    return committed.contains(record.fields.front());
  };
  keep_records<RunRow>(runs_path, runs, is_committed);

  const std::string graphs_path = path_ + "/graphs.csv";
  const StoredTable graphs = read_records(graphs_path);
  const StoredTable levels = read_records(path_ + "/levels.csv");
  const StoredTable measures = read_records(path_ + "/measures.csv");
  // All four get their headers before the first row.
  for (const auto& [name, table] : {std::pair("graphs", &graphs), std::pair("levels", &levels),
                                    std::pair("measures", &measures)}) {
    if (runs.text.empty() == table->text.empty()) continue;
    if (runs.text.empty() ? table->records.empty() : runs.records.empty()) continue;
    throw InputError(
        fmt::format("{}/{}.csv is empty or missing, and {}.csv has rows: something else has "
                    "changed the folder; "
                    "move it aside with --fresh, or name another folder with --results",
                    path_, runs.text.empty() ? "runs" : name, runs.text.empty() ? name : "runs"));
  }
  const auto keep_committed = [&]<typename Row>(const std::string& path, const StoredTable& table) {
    std::unordered_set<std::string> trials;
    for (const CsvRecord& record : table.records) trials.insert(record.fields.front());
    lines_trimmed_ += table.torn ? 1 : 0;
    keep_records<Row>(path, table, is_committed);
    return trials;
  };
  const auto of_levels = keep_committed.operator()<LevelRow>(path_ + "/levels.csv", levels);
  const auto of_measures = keep_committed.operator()<MeasureRow>(path_ + "/measures.csv", measures);
  for (std::size_t i = 0; i < graphs.records.size(); ++i) {
    graphs_.push_back(parse_row<GraphRow>(graphs.records[i], graphs_path, i + 1));
  }
  require_details(finished, of_levels, of_measures);
}

template <typename Row, typename Keep>
void ResultsDirectory::keep_records(const std::string& path, const StoredTable& table, Keep keep) {
  std::vector<std::string> kept;
  std::string aside = table.text.substr(0, record_end(table.text, 0));
  std::size_t rows_aside = 0;
  for (const CsvRecord& record : table.records) {
    if (keep(record)) {
      kept.push_back(without_seal(table.text_of(record)));
    } else {
      aside += table.text_of(record);
      ++rows_aside;
    }
  }
  if (rows_aside == 0) return;
  const std::string file = name_aside(path);
  write_file_atomically(file, aside);
  write_file_atomically(path, sealed_table(path, begun_, column_names<Row>(), kept));
  kept_aside_.push_back({fs::path(path).filename().string(), file, rows_aside});
}

// The details of a trial are written before its row, and a graph's row before its first trial.
void ResultsDirectory::require_details(std::span<const RunRow> rows,
                                       const std::unordered_set<std::string>& levels,
                                       const std::unordered_set<std::string>& measures) const {
  std::unordered_set<std::string> known;
  for (const GraphRow& row : graphs_) known.insert(row.graph + '\n' + row.graph_hash);
  for (const RunRow& row : rows) {
    const char* lost = nullptr;
    if (!known.contains(row.graph + '\n' + row.graph_hash)) lost = "graphs";
    const std::string trial = std::to_string(row.trial);
    if (row.status == Status::ok && has_levels(row) && !levels.contains(trial)) lost = "levels";
    if (row.status == Status::ok && row.instrumented && !row.source && !measures.contains(trial)) {
      lost = "measures";
    }
    if (lost == nullptr) continue;
    throw InputError(fmt::format(
        "{}/{}.csv has lost rows of trial {} (graph {}), which runs.csv has: something else has "
        "changed the folder; move it aside with --fresh, or name another folder with --results",
        path_, lost, row.trial, row.graph));
  }
}

const GraphRow* ResultsDirectory::graph(const std::string& name) const {
  const auto found =
      std::ranges::find_if(graphs_, [&](const GraphRow& row) { return row.graph == name; });
  return found == graphs_.end() ? nullptr : &*found;
}

void ResultsDirectory::append(const GraphRow& row) {
  graph_table_->append(csv_row(fields(row)));
  graphs_.push_back(row);
}

void ResultsDirectory::replace(const GraphRow& row) {
  std::vector<std::string> rows;
  for (GraphRow& each : graphs_) {
    if (each.graph == row.graph) each = row;
    rows.push_back(csv_row(fields(each)));
  }
  const std::string path = path_ + "/graphs.csv";
  graph_table_->require_present();
  write_file_atomically(path, sealed_table(path, begun_, column_names<GraphRow>(), rows));
  graph_table_.emplace(path, column_names<GraphRow>(), begun_);
}

std::uint64_t ResultsDirectory::append(RunRow row, std::span<const LevelRow> levels,
                                       std::span<const MeasureRow> measures) {
  if (!with_this_build_.empty()) {
    write_file_atomically(path_ + "/environment.json", with_this_build_);
    with_this_build_.clear();
  }
  runs_->require_present();
  lock_->require_held();
  // A failed write may have left details of this number without a row; numbers are never reused
  // within a process, so they cannot join another row.
  row.trial = next_trial_++;
  if (row.status != Status::ok) row.time_ms = row.gpu_ms = std::nullopt;
  std::vector<std::string> rows;
  for (LevelRow level : levels) {
    level.trial = row.trial;
    rows.push_back(csv_row(fields(level)));
  }
  levels_->append(rows);
  append_measures(row.trial, measures);
  const auto now = std::chrono::steady_clock::now();
  const bool due = std::chrono::duration<double>(now - synced_).count() >= sync_interval_s_;
  if (due) sync_details();  // before the row: it says that they are there
  runs_->append(csv_row(fields(row)));
  if (due) {
    runs_->sync();
    synced_ = now;
  }
  journal_.add(row);
  builds_.try_emplace(row.build_hash, row.commit);
  return row.trial;
}

void ResultsDirectory::append_measures(std::uint64_t trial, std::span<const MeasureRow> measures) {
  std::vector<std::string> rows;
  for (MeasureRow measure : measures) {
    measure.trial = trial;
    rows.push_back(csv_row(fields(measure)));
  }
  measures_->append(rows);
}

void ResultsDirectory::pollute(std::span<const RunRow> rows, const std::string& reason) {
  std::unordered_set<std::string> trials;
  for (const RunRow& row : rows) trials.insert(std::to_string(row.trial));
  const std::string path = path_ + "/runs.csv";
  runs_->require_present();
  const StoredTable table = read_records(path);
  std::vector<std::string> marked;
  for (const CsvRecord& record : table.records) {
    if (!trials.contains(record.fields.front())) {
      marked.push_back(without_seal(table.text_of(record)));
      continue;
    }
    RunRow row = row_from<RunRow>(record.fields);
    if (!row.polluted) row.reason = reason;
    row.polluted = true;
    marked.push_back(csv_row(fields(row)));
  }
  write_file_atomically(path, sealed_table(path, begun_, column_names<RunRow>(), marked));
  runs_.emplace(path, column_names<RunRow>(), begun_);
  for (const RunRow& row : rows) journal_.pollute(row);
}

void ResultsDirectory::sync_details() {
  graph_table_->sync();
  levels_->sync();
  measures_->sync();
}

void ResultsDirectory::finish() {
  for (const TableFile* table : {&*graph_table_, &*levels_, &*measures_, &*runs_}) {
    table->require_present();
  }
  sync_details();
  runs_->sync();
}

}  // namespace bfslab
