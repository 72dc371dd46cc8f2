// SPDX-License-Identifier: Apache-2.0
// DriftWatch: marks timed rows as polluted if the machine's speed changed between the calibrations
// before and after them.
#pragma once

#include <optional>
#include <vector>

#include "harness/observe/calibration.hpp"
#include "harness/run/group_trials.hpp"

namespace bfslab {

class DriftWatch {
 public:
  DriftWatch(SweepContext& context, const GroupTrials& trials)
      : context_(context), trials_(trials) {}

  // A worker was calibrated before its trials. A worker that died could not calibrate again, so
  // this calibration also ends the watch over its rows.
  void begin(const std::optional<Calibration>& before);
  // A worker was calibrated after its trials. Throws StorageError.
  void end(const std::optional<Calibration>& after);

  // The calibration before the trials, as details of the first row that add() will get; empty for
  // later rows.
  [[nodiscard]] std::vector<MeasureRow> details() const;
  // Takes a timed row that is `ok` and written.
  void add(const RunRow& row) { rows_.push_back(row); }

  // Returns whether rows were marked since the last call.
  bool take_drifted();

 private:
  void pollute(const std::vector<RunRow>& rows, const Drift& drift);

  SweepContext& context_;
  const GroupTrials& trials_;
  std::optional<Calibration> before_;
  std::vector<RunRow> rows_;  // since then
  bool drifted_ = false;
};

}  // namespace bfslab
