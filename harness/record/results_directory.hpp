// SPDX-License-Identifier: Apache-2.0
// ResultsDirectory: <results>/<experiment>, which holds an experiment's rows. One process at a time
// writes there; a run that was killed leaves files that parse, and the next one continues from
// them.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/record/directory_lock.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/journal.hpp"
#include "harness/record/rows.hpp"
#include "harness/record/table_file.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

struct ResultsOptions {
  std::string root;  // the results folder of this machine; the spec's name is the folder below it
  const Spec& spec;  // as it is when the folder is opened; its canonical text becomes spec.json
  RunIdentity identity;
  bool fresh = false;  // move existing rows to <root>/.previous/<experiment>-<UTC>
  // Rows reach the disk when they are this many seconds old: with 0 each one before append()
  // returns, so that a power cut loses none.
  double sync_interval_s = 0;
  std::set<Status> retry = {};  // failures that are run again, although they are results
};

struct StoredTable;  // a file as it was read

// Rows of a table that were moved to another file.
struct KeptAside {
  std::string table;  // "levels.csv"
  std::string file;   // the path of levels.aside.csv
  std::size_t rows = 0;
};

class ResultsDirectory {
 public:
  // Creates the directory or resumes existing rows, and brings tables of older versions into the
  // present columns. Throws InputError when another process writes there, when it holds rows of
  // another machine, of a spec with another protocol, or that the spec no longer asks for, when its
  // files are not ours, of a newer format or do not agree, or when it cannot be written;
  // StorageError when the disk is full. If spec, machine, format or columns are refused, no file
  // changes.
  explicit ResultsDirectory(const ResultsOptions& options);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Journal& journal() const { return journal_; }
  [[nodiscard]] bool resumed() const { return resumed_; }
  // Returns whether its tables were packed and are plain now: rows are appended to plain ones.
  [[nodiscard]] bool unpacked() const { return unpacked_; }
  // The hash of the recorded spec that this run's spec has grown from, or empty.
  [[nodiscard]] const std::string& grown_from() const { return grown_from_; }
  // The tables of an older version that were brought into the present columns: "runs.csv".
  [[nodiscard]] const std::vector<std::string>& upgraded() const { return upgraded_; }
  // The folder that --fresh moved aside, or empty.
  [[nodiscard]] const std::string& moved_to() const { return moved_to_; }
  // The numbers of rows found on opening, and of torn last lines that were trimmed then.
  [[nodiscard]] std::size_t rows_found() const { return rows_found_; }
  [[nodiscard]] std::size_t lines_trimmed() const { return lines_trimmed_; }
  // Rows that were taken out on opening because they belong to no finished trial.
  [[nodiscard]] const std::vector<KeptAside>& kept_aside() const { return kept_aside_; }
  // The number of trials that are run again because of ResultsOptions::retry.
  [[nodiscard]] std::size_t trials_reopened() const { return trials_reopened_; }

  // The values of column `environment` in this run's rows, and in the rows that were found.
  [[nodiscard]] const std::string& environment() const { return environment_; }
  [[nodiscard]] const std::set<std::string>& environments_found() const { return environments_; }
  // The commits of all builds that have rows here, by the builds' hashes.
  [[nodiscard]] const std::map<std::string, std::string>& builds() const { return builds_; }

  // Returns the graph's row from this run or an earlier one, or nullptr.
  [[nodiscard]] const GraphRow* graph(const std::string& name) const;
  void append(const GraphRow& row);
  // Replaces the graph's row in graphs.csv after its number of sources has changed. Throws
  // StorageError, and then leaves the file as it was.
  void replace(const GraphRow& row);

  // Numbers the row and its details, writes the details, then the row: the row is the commit mark.
  // Returns the trial's number. Throws StorageError.
  std::uint64_t append(RunRow row, std::span<const LevelRow> levels = {},
                       std::span<const MeasureRow> measures = {});

  // Adds details of a trial whose row is written.
  void append_measures(std::uint64_t trial, std::span<const MeasureRow> measures);

  // Marks rows of this run in runs.csv as polluted, with `reason`, except those already marked.
  // Changes nothing else. Throws StorageError, and then leaves the file as it was.
  void pollute(std::span<const RunRow> rows, const std::string& reason);

  // Ends the run after the last row: makes sure that all rows are on the disk, and that the folder
  // is still in its place. Throws StorageError.
  void finish();

 private:
  void open_or_create(const ResultsOptions& options);
  void repair();
  void require_details(std::span<const RunRow> rows, const std::unordered_set<std::string>& levels,
                       const std::unordered_set<std::string>& measures) const;
  void sync_details();
  Growth examine(const ResultsOptions& options, const std::string& environment) const;
  // Moves the records of a file of Row for which `keep` is false to another file beside it.
  template <typename Row, typename Keep>
  void keep_records(const std::string& path, const StoredTable& table, Keep keep);
  template <typename Row>
  void upgrade_table(const std::string& name, const std::map<std::string, std::string>& commits);

  std::string path_;
  std::string begun_;  // begun_at() of environment.json
  std::string moved_to_;
  std::optional<DirectoryLock> lock_;
  Journal journal_;
  double sync_interval_s_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
  std::vector<GraphRow> graphs_;
  std::uint64_t next_trial_ = 0;
  std::size_t rows_found_ = 0;
  std::size_t lines_trimmed_ = 0;
  std::vector<KeptAside> kept_aside_;
  std::size_t trials_reopened_ = 0;
  std::string environment_;
  std::set<std::string> environments_;
  std::map<std::string, std::string> builds_;
  bool resumed_ = false;
  bool unpacked_ = false;
  std::string grown_from_;
  std::vector<std::string> upgraded_;
  // environment.json with the build that runs, until its first row is written.
  std::string with_this_build_;
  std::optional<TableFile> runs_;
  std::optional<TableFile> levels_;
  std::optional<TableFile> measures_;
  std::optional<TableFile> graph_table_;
};

}  // namespace bfslab
