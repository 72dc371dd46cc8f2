// Journal: which trials are done, by their keys. Rows that a run appends and rows that a later run
// finds take the same path, so that resuming and running cannot disagree.
//
// The key of a trial is (case, graph, graph hash, engine, toggles, ranks, GPUs a rank, source,
// repeat, instrumented); a counter's has no source. Spec and build are the whole directory's
// (results_directory.hpp).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

struct TrialState {
  unsigned attempts = 0;
  bool settled = false;           // an unpolluted attempt, a failure, or all attempts used
  std::optional<double> time_ms;  // of the attempt that counts
  double counted_load_pct = 0;
};

class Journal {
 public:
  // `attempts`: how many a polluted trial may have, including the first.
  explicit Journal(unsigned attempts) : attempts_(attempts) {}

  void add(const RunRow& row);

  // The state of the trial that `row`'s key fields describe; empty if it never ran.
  [[nodiscard]] TrialState state(const RunRow& row) const;

  // The row with which this configuration failed on this graph, or nullptr.
  [[nodiscard]] const RunRow* failure(const RunRow& row) const;

  // Settled trials that ended so.
  [[nodiscard]] std::size_t count(Status status) const {
    return counts_[static_cast<std::size_t>(status)];
  }

 private:
  unsigned attempts_;
  std::unordered_map<std::string, TrialState> trials_;
  std::unordered_map<std::string, RunRow> failures_;
  std::size_t counts_[7] = {};
};

}  // namespace bfslab
