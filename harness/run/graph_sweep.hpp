// SPDX-License-Identifier: Apache-2.0
// GraphSweep: all trials of one group (a graph and its configurations), in as many workers as
// necessary.
//
// Order: repeats outermost, then sources, and in the innermost round every configuration once, in
// shuffled order; polluted trials are repeated at the end of their round. Instrumented trials come
// after all timed ones, and counters, once each, after those. Trials that were polluted because a
// calibration had drifted are repeated after all of them, in another worker. A configuration that
// fails ends its worker and is skipped for this graph: one `skipped` row for every remaining trial;
// the others continue in a new worker.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/record/agreement.hpp"
#include "harness/record/results_directory.hpp"
#include "harness/run/launcher.hpp"
#include "harness/run/plan.hpp"
#include "harness/run/progress.hpp"
#include "harness/run/worker_process.hpp"

namespace bfslab {

struct SweepContext {
  const Spec& spec;
  ResultsDirectory& results;
  const Interrupts& interrupts;
  Progress& progress;
  std::vector<std::string> data_folders;
  std::string cache_folder;
  std::string build_hash;
  std::string commit;                              // of the program, as rows have it
  std::map<std::string, std::string> unavailable;  // graphs by canonical name, and why
  Launcher launcher;                               // of workers of several ranks
  Agreement& agreement;                            // of all rows in the folder of results
  std::set<std::string> seen_again = {};           // graphs, by canonical name, found unchanged
};

class GraphSweep {
 public:
  GraphSweep(SweepContext& context, const TrialGroup& group);

  // Throws InputError when the graph is not the one that earlier rows were measured on,
  // StorageError, Interrupted, and std::runtime_error for our own faults.
  void run();
  // The graph could not be loaded because its input is bad.
  [[nodiscard]] bool bad_input() const { return bad_input_; }
  // The graph has no vertex that the rule for sources allows.
  [[nodiscard]] bool no_sources() const { return no_sources_; }
  // A worker died with the graph that it was loading, or a trial was ended from outside for good.
  [[nodiscard]] bool incomplete() const { return incomplete_; }
  // Rows of another experiment turned out to be wrong.
  [[nodiscard]] bool wrong_elsewhere() const { return wrong_elsewhere_; }

 private:
  struct Member {  // one configuration of the group
    std::size_t index = 0;
    bool failed = false;
    double spent_s = 0;                      // time of its settled trials on this graph
    std::vector<std::vector<double>> times;  // [source][repeat] that count
  };

  [[nodiscard]] const GraphEntry& graph() const { return context_.spec.graphs[group_.graph]; }
  [[nodiscard]] RunRow blank_row(const Member& member) const;
  [[nodiscard]] bool counts(const Member& member) const {
    return context_.spec.configurations[member.index].engine->counts();
  }
  // `source`: index into the graph's sources; none for a counter's one row.
  [[nodiscard]] RunRow trial_row(const Member& member, std::optional<std::size_t> source,
                                 unsigned repeat, bool instrumented) const;
  [[nodiscard]] RunRow count_row(const Member& member) const {
    return trial_row(member, std::nullopt, 0, true);
  }
  [[noreturn]] void refuse_changed(const std::string& was, const std::string& is) const;
  void refuse_another_graph(const GraphRow& known) const;
  [[nodiscard]] bool has_sources(const GraphRow& known) const;
  void change_sources(const GraphRow& row);
  void take_up(const GraphRow& row);
  std::uint64_t recount(Member& member) const;
  void start_calibrated(const std::optional<Calibration>& before);
  void judge_drift(const std::optional<Calibration>& after);
  void pollute(const std::vector<RunRow>& rows, const Drift& drift);
  bool open_worker();
  bool open_worker_once(unsigned again);
  [[nodiscard]] OpenRequest open_request() const;
  void close_worker();
  void compare(RunRow& row);
  [[nodiscard]] std::optional<SearchCounts> reference(vertex_t source);
  void refute_rows(const RunRow& row, const SearchCounts& right);
  void take_back(RunRow row, Status status, const std::string& reason);
  void nothing_to_search();
  [[nodiscard]] std::string no_ranks() const;
  void graph_failed(Status status, const std::string& reason);
  void fail_for_now(Member& member, Status status, const std::string& reason);
  [[nodiscard]] bool anything_left() const;
  [[nodiscard]] bool wanted(const Member& member, std::size_t source, unsigned repeat) const;
  void run_timed();
  void run_round(unsigned repeat, std::size_t source, const std::vector<std::size_t>& order);
  void run_instrumented();
  void run_counters();
  void run_trial(Member& member, std::optional<std::size_t> source, unsigned repeat,
                 std::size_t order, bool instrumented);
  bool attempt_trial(Member& member, std::optional<std::size_t> source, unsigned repeat,
                     std::size_t order, bool instrumented, unsigned again);
  [[nodiscard]] bool wants_check(const RunRow& row) const;
  void skip_the_rest(Member& member, Status status, const std::string& reason);
  void finish_trial(const Member& member, const RunRow& row);

  SweepContext& context_;
  TrialGroup group_;
  std::vector<Member> members_;
  GraphRow facts_;
  bool have_facts_ = false;
  std::optional<GraphRow> before_;  // whose sources are not those that the spec asks for now
  std::unique_ptr<WorkerProcess> worker_;
  std::vector<RunRow> rows_of_worker_;  // that are ok
  // Before the trials of a worker, this one or one that died, and the timed rows since.
  std::optional<Calibration> calibrated_;
  std::vector<RunRow> rows_since_;
  bool drifted_ = false;  // some of this group's rows
  bool bad_input_ = false;
  bool no_sources_ = false;
  bool incomplete_ = false;
  bool wrong_elsewhere_ = false;
};

}  // namespace bfslab
