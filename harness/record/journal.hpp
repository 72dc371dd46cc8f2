// SPDX-License-Identifier: Apache-2.0
// Journal: which trials are done, by their keys. Rows that a run appends and rows that a later run
// finds take the same path, so that resuming and running cannot disagree.
//
// The key of a trial is (case, graph, graph hash, engine, toggles, ranks, GPUs a rank, source,
// repeat, instrumented); a counter's has no source. The build is no part of it: what an older build
// has settled is done.
//
// docs/statistics.md defines which of a trial's attempts counts ("Which attempt counts").
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

struct TrialState {
  unsigned attempts = 0;          // all of them: the number of the next one
  unsigned measured = 0;          // those that are ok and may count
  bool settled = false;           // an unpolluted attempt, a failure, or all attempts used
  std::optional<double> time_ms;  // of the attempt that counts
  bool polluted = false;          // so is the attempt that counts
  bool validated = false;         // the attempt that counts, and by the journal's build
  Status status = Status::ok;
};

class Journal {
 public:
  // `attempts`: how many a polluted trial may have, including the first. `build`: whose checks of
  // answers count; empty: those of every build.
  explicit Journal(unsigned attempts, std::string build = {})
      : attempts_(attempts), build_(std::move(build)) {}

  void add(const RunRow& row);

  // A row that was added turned out to be polluted.
  void pollute(const RunRow& row);

  // Trials that ended so are to be run again, and with a configuration's failure what was skipped
  // after it. Returns how many.
  std::size_t reopen(const std::set<Status>& statuses);

  // The state of the trial that `row`'s key fields describe; empty if it never ran.
  [[nodiscard]] TrialState state(const RunRow& row) const;

  // The row with which this configuration failed on this graph, or nullptr.
  [[nodiscard]] const RunRow* failure(const RunRow& row) const;

  // Timed trials that settled as ok, and those of them of which no attempt was clean.
  [[nodiscard]] std::size_t timed() const { return timed_; }
  [[nodiscard]] std::size_t polluted() const { return polluted_; }

  // Settled trials that ended so; of `interrupted`, trials of which that is the last attempt.
  [[nodiscard]] std::size_t count(Status status) const {
    return counts_[static_cast<std::size_t>(status)];
  }

 private:
  struct Attempt {  // that is ok and may count
    std::uint64_t trial = 0;
    std::optional<double> time_ms;
    double load_pct = 0;
    bool polluted = false;
    bool validated = false;
  };
  struct Trial : TrialState {
    std::string configuration;
    bool instrumented = false;
    bool counted = false;  // under its status in counts_
    std::vector<Attempt> tried;
  };
  void count_as(Trial& trial, std::optional<Status> status);
  void settle(Trial& trial);

  unsigned attempts_;
  std::string build_;
  std::unordered_map<std::string, Trial> trials_;
  std::unordered_map<std::string, RunRow> failures_;  // by configuration
  std::size_t counts_[kStatuses] = {};
  std::size_t timed_ = 0;
  std::size_t polluted_ = 0;
};

}  // namespace bfslab
