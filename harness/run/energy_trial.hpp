// SPDX-License-Identifier: Apache-2.0
// EnergyTrial: the energy of one search, from counters that advance only every 1 to 100 ms.
//
// It lets searches follow one another in batches of about kBatchMs, and reads all counters after
// each batch. A counter that has advanced did so within the last batch, or within the last
// kPeriodMs if the batch is one long search. The energy between two such advances is divided by the
// number of searches between them. The two are kRatio times as far apart as the uncertainty of
// each, which bounds the error at each end.
//
//   searches        0     64    128    192  ...  3200   3264
//   counter [J]   5.0    5.0    5.9    5.9  ...  155.9  157.2    157.2 - 5.9 J in 3136 searches
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/observe/energy_counters.hpp"
#include "harness/record/rows.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

class EnergyTrial {
 public:
  static constexpr double kBatchMs = 10;
  static constexpr double kLeastMs = 500;
  static constexpr double kPeriodMs = 100;  // the longest period of a counter
  static constexpr double kRatio = 25;
  // A counter that does not advance for so long, in three batches at least, is given up.
  static constexpr double kPatienceMs = 5000;

  using Clock = std::function<double()>;  // in ms
  static double steady_ms();

  // Takes this rank's counters. All ranks have one trial, and their calls are collective.
  EnergyTrial(EnergyCounters counters, distributed::Processes& processes, Clock clock = steady_ms);

  // Returns whether all ranks have counters.
  bool can_measure();
  // Returns whether read() is due after `done` searches. Not collective.
  [[nodiscard]] bool due(unsigned done) const { return done >= next_; }
  // Reads the counters after `done` searches, first after none. Returns whether more are needed.
  bool read(unsigned done);

  struct Result {
    std::optional<double> joules;      // per search, of all devices of all ranks, each once
    std::string missing;               // why there are none
    std::vector<MeasureRow> measures;  // J per search of each device
  };
  Result result();

 private:
  // The advances of a counter.
  struct Window {
    double last_j = 0;
    double last_ms = 0;  // when it advanced last
    bool begun = false;
    bool complete = false;
    double first_ms = 0, first_j = 0, end_j = 0;
    unsigned first = 0, end = 0;  // numbers of searches

    // `batch_ms`: the time of the searches since the reading before.
    void take(unsigned done, double ms, double joules, double batch_ms);
  };
  void read_counters(unsigned done, double ms);

  EnergyCounters counters_;
  distributed::Processes& processes_;
  Clock clock_;
  std::vector<Window> windows_;
  unsigned readings_ = 0;
  unsigned batch_ = 1;
  unsigned next_ = 0;  // searches after which the counters are read
  double last_ms_ = 0;
};

}  // namespace bfslab
