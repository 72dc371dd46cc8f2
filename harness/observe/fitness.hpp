// SPDX-License-Identifier: Apache-2.0
// Examines whether this machine is fit to measure on, as far as it reports its state.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

struct Finding {
  // good; unknown: the machine does not report it; advice: it costs little or cannot be helped;
  // unfit: times that are measured here now cannot be trusted.
  enum class Grade { good, unknown, advice, unfit };
  Grade grade = Grade::good;
  std::string what;   // "governor"
  std::string state;  // "powersave on 16 of 16 processors"
  std::string cure;   // how to mend it; empty if nothing is to be done
};
const char* to_text(Finding::Grade grade);

struct FitnessLimits {
  double load_pct = 10;   // load of other programs and stolen time
  double drift_pct = 25;  // between calibrations
};

// Examines the machine. Takes about a second, in half of which it watches the load.
std::vector<Finding> examine_machine(const FitnessLimits& limits);

}  // namespace bfslab
