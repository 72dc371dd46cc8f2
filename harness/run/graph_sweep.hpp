// SPDX-License-Identifier: Apache-2.0
// GraphSweep: runs all trials of one group (a graph and its configurations), in as many workers as
// necessary.
//
// Order: repeats outermost, then sources, and in the innermost round every configuration once, in
// shuffled order; polluted trials are repeated at the end of their round. Instrumented trials come
// after all timed ones, and counters, once each, after those. Trials that were polluted because a
// calibration had drifted are repeated after all of them, in another worker. A configuration that
// fails ends its worker and is skipped for this graph: one `skipped` row for every remaining trial;
// the others continue in a new worker.
#pragma once

#include <optional>
#include <vector>

#include "harness/run/cross_check.hpp"
#include "harness/run/drift_watch.hpp"
#include "harness/run/group_trials.hpp"
#include "harness/run/group_worker.hpp"
#include "harness/run/sweep_context.hpp"

namespace bfslab {

struct SweepOutcome {
  bool bad_input = false;   // the graph could not be loaded because its input is bad
  bool no_sources = false;  // the graph has no vertex that the rule for sources allows
  // A worker died while it loaded the graph, or a trial was ended from outside and not measured.
  bool incomplete = false;
  bool wrong_elsewhere = false;  // rows of another experiment turned out to be wrong
};

class GraphSweep {
 public:
  GraphSweep(SweepContext& context, const TrialGroup& group);

  // Throws InputError when the graph is not the one that earlier rows were measured on,
  // StorageError, Interrupted, and std::runtime_error for our own faults.
  SweepOutcome run();

 private:
  void run_trials();
  [[nodiscard]] bool take_earlier_rows();
  bool open_worker();
  void take_facts(const GraphFactsReply& reply);
  void begin(const GraphRow& facts);
  void close_worker();
  void run_timed();
  void run_round(unsigned repeat, std::size_t source, const std::vector<std::size_t>& order);
  void run_instrumented(TrialKind kind);
  void run_counters();
  void run_trial(Trial trial, std::size_t position);
  bool attempt(Trial& trial, std::size_t position, bool last);
  bool take_failure(const Trial& trial, const RunRow& row, bool retried);
  [[nodiscard]] bool wants_check(const Trial& trial) const;

  SweepContext& context_;
  GroupTrials trials_;
  GroupWorker worker_;
  DriftWatch drift_;
  CrossCheck cross_check_;
  std::optional<GraphRow> other_sources_;  // the graph's row, if the spec asks for other sources
  std::vector<RunRow> rows_of_worker_;     // the `ok` rows of the open worker
  SweepOutcome outcome_;
};

}  // namespace bfslab
