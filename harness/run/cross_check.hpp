// SPDX-License-Identifier: Apache-2.0
// CrossCheck: compares a trial's counts with those of every other row of the same graph and source.
// If they differ, the sequential reference decides which rows are wrong.
#pragma once

#include <optional>

#include "harness/run/group_trials.hpp"

namespace bfslab {

class CrossCheck {
 public:
  CrossCheck(SweepContext& context, GroupTrials& trials) : context_(context), trials_(trials) {}

  // Compares a row that is `ok` and not written yet. If the row is wrong, its status becomes
  // `wrong`. If written rows of this experiment are wrong, writes a row that takes back each of
  // them, and skips the rest of their members.
  void compare(RunRow& row);
  // A row of another experiment turned out to be wrong.
  [[nodiscard]] bool wrong_elsewhere() const { return wrong_elsewhere_; }

 private:
  [[nodiscard]] std::optional<SearchCounts> reference(const RunRow& row) const;
  void refute_rows(const RunRow& row, const SearchCounts& right);

  SweepContext& context_;
  GroupTrials& trials_;
  bool wrong_elsewhere_ = false;
};

}  // namespace bfslab
