// SPDX-License-Identifier: Apache-2.0
// Journal: knows by their keys which trials are done. Rows that a run appends and rows that a later
// run finds take the same path, so that resuming and running cannot disagree.
//
// The key of a trial is (case, graph, graph hash, engine, toggles, ranks, GPUs per rank, source,
// repeat, instrumented, recorded); a counter's key has no source. The key does not include the
// build: a trial that an older build has settled is done.
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
  unsigned attempts = 0;          // all attempts: the number of the next one
  unsigned measured = 0;          // attempts that are ok and may count
  bool settled = false;           // an unpolluted attempt, a failure, or all attempts used
  std::optional<double> time_ms;  // time of the attempt that counts
  bool polluted = false;          // the attempt that counts is polluted
  bool validated = false;  // the attempt that counts is validated, and by the journal's build
  Status status = Status::ok;
};

class Journal {
 public:
  // `attempts`: maximum per polluted trial, including the first. `build`: the build whose checks of
  // answers count; empty: those of every build count.
  explicit Journal(unsigned attempts, std::string build = {})
      : attempts_(attempts), build_(std::move(build)) {}

  void add(const RunRow& row);

  // Marks a row that was added before as polluted.
  void pollute(const RunRow& row);

  // Reopens trials with these statuses, and the trials that were skipped because of them. Returns
  // their number.
  std::size_t reopen(const std::set<Status>& statuses);

  // Returns the state of the trial with the key of `row`; empty if it never ran.
  [[nodiscard]] TrialState state(const RunRow& row) const;

  // Returns the row with which this configuration failed on this graph, or nullptr.
  [[nodiscard]] const RunRow* failure(const RunRow& row) const;

  // The numbers of timed trials that settled as ok, and of those without a clean attempt.
  [[nodiscard]] std::size_t timed() const { return timed_; }
  [[nodiscard]] std::size_t polluted() const { return polluted_; }

  // The number of settled trials with this status; for `interrupted`, of trials whose last attempt
  // ended so.
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
