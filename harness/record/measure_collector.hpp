// SPDX-License-Identifier: Apache-2.0
// MeasureCollector: keeps what engines and counters measure as rows of measures.csv.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"
#include "kernels/level_sink.hpp"

namespace bfslab {

class MeasureCollector : public MeasureSink {
 public:
  // Throws std::invalid_argument for a value that is not a number: a row could not hold it.
  void measure(const Measure& measure) override {
    if (!std::isfinite(measure.value)) {
      throw std::invalid_argument("measure " + measure.metric + " of \"" + measure.part +
                                  "\" is not a finite number");
    }
    MeasureRow row;
    row.level = measure.level;
    row.rank = measure.rank;
    row.part = measure.part;
    row.metric = measure.metric;
    row.value = measure.value;
    row.unit = measure.unit;
    rows_.push_back(std::move(row));
  }

  [[nodiscard]] const std::vector<MeasureRow>& rows() const { return rows_; }

 private:
  std::vector<MeasureRow> rows_;
};

}  // namespace bfslab
