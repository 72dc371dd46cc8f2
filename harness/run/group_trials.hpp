// SPDX-License-Identifier: Apache-2.0
// GroupTrials: the trials of one group, their state in the journal, and the rows of trials that
// will not run.
//
// A member is a configuration of the group, named by its index there. Sources are indices into the
// sources of the graph. Trials can be named once begin() has been called.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/journal.hpp"
#include "harness/run/plan.hpp"
#include "harness/run/sweep_context.hpp"

namespace bfslab {

// The kind of a search: timed, instrumented for its levels, or repeated for its energy.
enum class TrialKind { timed, levels, energy };

struct Trial {
  std::size_t member = 0;
  std::optional<std::size_t> source;  // none: the one trial of a counter
  RunRow row;                         // with the columns that are known before the trial runs
  TrialState state;                   // as of its last row
};

class GroupTrials {
 public:
  GroupTrials(SweepContext& context, TrialGroup group);

  [[nodiscard]] const TrialGroup& group() const { return group_; }
  [[nodiscard]] const GraphEntry& graph() const { return context_.spec.graphs[group_.graph]; }
  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] const Configuration& configuration(std::size_t member) const {
    return context_.spec.configurations[group_.configurations[member]];
  }
  [[nodiscard]] bool counts(std::size_t member) const {
    return configuration(member).engine->counts();
  }

  // Takes the facts of the graph and the rows of earlier runs. Writes the rows of trials that
  // cannot run, and those that a killed run did not write after a failure.
  void begin(const GraphRow& facts);
  [[nodiscard]] bool begun() const { return begun_; }
  // The row of the graph; empty until begin().
  [[nodiscard]] const GraphRow& facts() const { return facts_; }
  // A search has no vertex to start from.
  [[nodiscard]] bool no_sources() const;

  // The trial of a member and source, with one look into the journal.
  [[nodiscard]] Trial search(std::size_t member, std::size_t source, unsigned repeat,
                             TrialKind kind) const;
  // The one trial of a counter, with one look into the journal.
  [[nodiscard]] Trial count(std::size_t member) const;
  // The state of the trial that an existing row belongs to.
  [[nodiscard]] TrialState state(const RunRow& row) const;

  // Returns whether the stopping rule wants this timed trial, all earlier repeats being done.
  [[nodiscard]] bool wanted(std::size_t member, std::size_t source, unsigned repeat) const;
  // Returns whether any wanted trial is not settled.
  [[nodiscard]] bool anything_left() const;
  // Takes the times of all members from the journal again.
  void recount();

  // Writes a row of `trial` and its details, and brings the trial's state up to date. Returns the
  // number of the row. Throws StorageError.
  std::uint64_t append(Trial& trial, const RunRow& row, std::span<const LevelRow> levels,
                       std::span<const MeasureRow> measures);
  // Takes a trial that is `ok` into the progress and the stopping rule, if it is settled.
  void finish(const Trial& trial);
  // Writes a row that replaces the result of an earlier row of the same trial.
  void take_back(RunRow row, const TrialState& state, Status status, const std::string& reason);

  // No further trial of this member runs now; a later run makes up for them.
  void stop(std::size_t member) { members_[member].stopped = true; }
  [[nodiscard]] bool stopped(std::size_t member) const { return members_[member].stopped; }
  // Stops the member, and writes a row for each of its trials that is not settled.
  void skip_rest(std::size_t member, Status status, const std::string& reason);
  // The same for each member with a failure in the journal.
  void skip_rest_of_failed();
  // Stops the member with a row that has no source: a later run tries it again.
  void fail_for_now(std::size_t member, Status status, const std::string& reason);
  // The same for all members, or for those that search.
  void refuse_graph(Status status, const std::string& reason, bool counters_too);

 private:
  struct Member {
    RunRow row;  // with the columns that all of its trials share
    bool stopped = false;
    double spent_s = 0;                      // time of its settled trials on this graph
    std::vector<std::vector<double>> times;  // [source][repeat] of settled trials
  };

  [[nodiscard]] Trial with_state(Trial trial) const;
  void take_time(Member& member, std::size_t source, const TrialState& state) const;
  // Takes the member's times from the journal. Returns how many of its trials are settled.
  std::uint64_t recount(std::size_t member);
  // Calls `stop` with each trial of the member, at most `repeats` timed ones per source, until it
  // returns true. Returns whether it did.
  template <typename Stop>
  bool any_trial(std::size_t member, unsigned repeats, const Stop& stop) const;

  SweepContext& context_;
  TrialGroup group_;
  GraphRow facts_;
  bool begun_ = false;
  std::vector<Member> members_;
};

// States the reason of rows that are skipped after a failure: "after oom at source 17".
std::string after(const RunRow& failure);

}  // namespace bfslab
