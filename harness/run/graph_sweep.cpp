// SPDX-License-Identifier: Apache-2.0
#include "harness/run/graph_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/run/known_graph.hpp"
#include "harness/run/sources.hpp"
#include "harness/run/trial_outcome.hpp"

namespace bfslab {

namespace {

std::string loaded_text(const GraphRow& row) {
  if (!row.load_ms) {
    return fmt::format("{}: not built, {} from its recipe", row.graph,
                       row.source_rule.empty() ? "counted" : "made in parts");
  }
  return fmt::format("{}: {} vertices, {} edges, loaded in {:.0f} ms", row.graph,
                     row.vertices.value_or(0), row.edges.value_or(0), *row.load_ms);
}

GraphRow graph_row(const Spec& spec, const GraphEntry& graph, const GraphFactsReply& reply) {
  GraphRow row;
  static_cast<GraphFactsRow&>(row) = reply;
  row.graph = graph.text;
  row.name = graph.name.canonical;
  row.stand_in_for = graph.stand_in_for;
  if (spec.traverses()) row.source_rule = to_text(spec.sources.rule);
  return row;
}

}  // namespace

GraphSweep::GraphSweep(SweepContext& context, const TrialGroup& group)
    : context_(context),
      trials_(context, group),
      worker_(context, trials_.group()),
      drift_(context, trials_),
      cross_check_(context, trials_) {}

SweepOutcome GraphSweep::run() {
  run_trials();
  outcome_.no_sources = trials_.no_sources();
  outcome_.wrong_elsewhere = cross_check_.wrong_elsewhere();
  return outcome_;
}

void GraphSweep::run_trials() {
  if (take_earlier_rows() && !trials_.anything_left()) return;
  for (unsigned pass = 0; pass < std::max(1U, context_.spec.pollution.attempts); ++pass) {
    if (!open_worker()) return;
    if (context_.spec.record_time) run_timed();
    if (context_.spec.record_levels) run_instrumented(TrialKind::levels);
    if (context_.spec.record_energy) run_instrumented(TrialKind::energy);
    run_counters();
    close_worker();
    if (!drift_.take_drifted() || outcome_.incomplete) return;
    trials_.recount();
    if (!trials_.anything_left()) return;
  }
}

// Returns whether the trials are known from an earlier run. If the spec asks for other sources, a
// worker has to draw them first.
bool GraphSweep::take_earlier_rows() {
  const GraphRow* const known = context_.results.graph(trials_.graph().text);
  if (known == nullptr) return false;
  require_same_graph(context_, trials_.graph(), *known);
  if (has_sources(context_.spec, trials_.graph(), *known)) {
    begin(*known);
    return true;
  }
  other_sources_ = *known;
  return false;
}

bool GraphSweep::open_worker() {
  rows_of_worker_.clear();
  auto opened = worker_.open(open_request(context_, trials_.group(), trials_.facts()));
  if (const auto* failure = std::get_if<GroupWorker::Failure>(&opened)) {
    outcome_.bad_input |= failure->bad_input;
    outcome_.incomplete |= failure->died;
    context_.progress.warn(
        fmt::format("{}: {}: {}", trials_.graph().text, to_text(failure->status), failure->reason));
    const bool unsupported = failure->status == Status::unsupported;
    trials_.refuse_graph(failure->status, (unsupported ? "" : "graph: ") + failure->reason,
                         /*counters_too=*/true);
    return false;
  }
  take_facts(std::get<GraphFactsReply>(opened));
  return true;
}

void GraphSweep::take_facts(const GraphFactsReply& reply) {
  drift_.begin(reply.calibration);
  const GraphEntry& graph = trials_.graph();
  if (trials_.begun()) {
    return require_same_contents(context_, graph, trials_.facts().graph_hash, reply.graph_hash);
  }
  const Spec& spec = context_.spec;
  const GraphRow row = graph_row(spec, graph, reply);
  if (other_sources_) {
    change_sources(context_, graph, *std::exchange(other_sources_, std::nullopt), row);
  } else {
    context_.results.append(row);
  }
  context_.progress.step(loaded_text(row));
  const std::uint32_t wanted = spec.source_count(graph);
  if (spec.traverses() && row.sources.size() < wanted) {
    context_.progress.warn(fmt::format("{}: {} vertices satisfy {}, so {} sources instead of {}",
                                       row.graph, reply.eligible_sources.value_or(0),
                                       row.source_rule, row.sources.size(), wanted));
  }
  if (reply.profiled) {
    context_.progress.warn(
        "a profiler is attached: times include its cost and should not be published");
  }
  begin(row);
}

// Without a vertex to start from, each configuration that would have traversed gets a row without a
// source, and only counters go on.
void GraphSweep::begin(const GraphRow& facts) {
  trials_.begin(facts);
  if (!trials_.no_sources()) return;
  const std::string reason =
      fmt::format("no vertex satisfies {}", to_text(context_.spec.sources.rule));
  context_.progress.warn(fmt::format("{}: {}", trials_.graph().text, reason));
  trials_.refuse_graph(Status::skipped, reason, /*counters_too=*/false);
}

// Lets the worker report whether its graph has changed, and ends it. If it has, its rows are taken
// back.
void GraphSweep::close_worker() {
  if (!worker_.is_open()) return;
  const GroupWorker::Closing closing = worker_.close();
  drift_.end(closing.calibration);
  if (!closing.ending.empty()) {
    context_.progress.warn(
        fmt::format("{}: the worker failed after its last trial, and its rows are valid: {}",
                    trials_.graph().text, closing.ending));
  }
  const std::vector<RunRow> rows = std::exchange(rows_of_worker_, {});
  if (closing.fault.empty()) return;
  outcome_.incomplete = true;
  context_.progress.warn(
      fmt::format("{}: {}: its {} rows do not count, and are measured again by "
                  "the next run",
                  trials_.graph().text, closing.fault, rows.size()));
  for (const RunRow& row : rows) {
    trials_.take_back(row, trials_.state(row), Status::interrupted, closing.fault);
  }
}

void GraphSweep::run_timed() {
  const Spec& spec = context_.spec;
  const std::size_t sources = trials_.facts().sources.size();
  if (spec.interleave) {
    for (unsigned repeat = 0; repeat < spec.repeats.maximum; ++repeat) {
      if (spec.repeats.starts_invocation(repeat)) close_worker();
      for (std::size_t s = 0; s < sources; ++s) {
        run_round(repeat, s, round_order(trials_.members(), spec.sources.seed, repeat, s));
      }
    }
    return;
  }
  for (std::size_t m = 0; m < trials_.members(); ++m) {
    for (unsigned repeat = 0; repeat < spec.repeats.maximum; ++repeat) {
      if (spec.repeats.starts_invocation(repeat)) close_worker();
      for (std::size_t s = 0; s < sources; ++s) run_round(repeat, s, {m});
    }
  }
}

// Runs every configuration once, then again those whose trial was polluted, and so on.
void GraphSweep::run_round(unsigned repeat, std::size_t source,
                           const std::vector<std::size_t>& order) {
  std::vector<char> in_round(trials_.members(), 0);
  for (const std::size_t m : order) {
    const bool runs =
        !trials_.stopped(m) && !trials_.counts(m) && trials_.wanted(m, source, repeat);
    in_round[m] = runs ? 1 : 0;
  }
  for (unsigned pass = 0; pass < std::max(1U, context_.spec.pollution.attempts); ++pass) {
    for (std::size_t position = 0; position < order.size(); ++position) {
      const std::size_t m = order[position];
      if (in_round[m] == 0 || trials_.stopped(m)) continue;
      Trial trial = trials_.search(m, source, repeat, TrialKind::timed);
      if (trial.state.settled || trial.state.measured > pass) continue;
      run_trial(std::move(trial), position);
    }
  }
}

// Repeats trials whose energy other programs spoilt.
void GraphSweep::run_instrumented(TrialKind kind) {
  const unsigned passes = std::max(1U, context_.spec.pollution.attempts);
  for (std::size_t s = 0; s < trials_.facts().sources.size(); ++s) {
    for (std::size_t i = 0; i < passes * trials_.members(); ++i) {
      const std::size_t m = i % trials_.members();
      if (trials_.stopped(m) || trials_.counts(m)) continue;
      Trial trial = trials_.search(m, s, 0, kind);
      if (trial.state.settled || trial.state.measured > i / trials_.members()) continue;
      run_trial(std::move(trial), m);
    }
  }
}

void GraphSweep::run_counters() {
  for (std::size_t m = 0; m < trials_.members(); ++m) {
    if (trials_.stopped(m) || !trials_.counts(m)) continue;
    Trial trial = trials_.count(m);
    if (!trial.state.settled) run_trial(std::move(trial), m);
  }
}

void GraphSweep::run_trial(Trial trial, std::size_t position) {
  for (unsigned tries = 0; tries <= kRetries; ++tries) {
    if (!worker_.is_open() && !open_worker()) return;
    if (attempt(trial, position, tries == kRetries)) return;
  }
}

// Returns false if another process ended the worker and this is not the last try.
bool GraphSweep::attempt(Trial& trial, std::size_t position, bool last) {
  RunRow row = trial.row;
  row.attempt = trial.state.attempts;
  row.position_in_round = position;
  auto outcome = worker_.run({.configuration = trial.member,
                              .source = row.source,
                              .instrumented = row.instrumented,
                              .check = wants_check(trial),
                              .energy = row.recorded == kEnergy});
  row.utc = utc_now();
  std::vector<LevelRow> levels;
  std::vector<MeasureRow> measures;
  bool retried = false;
  if (auto* reply = std::get_if<TrialReply>(&outcome)) {
    take_reply(context_.spec, trials_.configuration(trial.member), worker_.was_stopped(), *reply,
               row);
    levels = std::move(reply->level_rows);
    measures = std::move(reply->measures);
  } else if (const auto* death = std::get_if<WorkerDeath>(&outcome)) {
    worker_.drop();
    retried = death->status == Status::interrupted && !last;
    take_death(*death, retried, row);
  } else {
    throw std::runtime_error("a worker answered a trial with an unexpected reply");
  }
  if (row.status == Status::ok) cross_check_.compare(row);
  if (row.status != Status::ok) {
    row.trial = trials_.append(trial, row, {}, {});
    return take_failure(trial, row, retried);
  }
  if (!row.instrumented) {
    const std::vector<MeasureRow> calibration = drift_.details();
    measures.insert(measures.end(), calibration.begin(), calibration.end());
  }
  row.trial = trials_.append(trial, row, levels, measures);
  if (!row.instrumented) drift_.add(row);
  context_.agreement.add(row);
  rows_of_worker_.push_back(row);
  trials_.finish(trial);
  return true;
}

// Skips the rest of a configuration that has failed. Returns false if the trial is retried.
bool GraphSweep::take_failure(const Trial& trial, const RunRow& row, bool retried) {
  if (row.status != Status::interrupted) {
    context_.progress.trial_done(row.graph, row.case_name, true);
  }
  context_.progress.warn(
      fmt::format("{} on {}: {}: {}", row.case_name, row.graph, to_text(row.status), row.reason));
  if (row.status == Status::unsupported) {  // the engine declined: its worker is as before
    trials_.skip_rest(trial.member, Status::unsupported, row.reason);
    return true;
  }
  // The failure may have damaged the process: the others continue in a new one.
  if (row.status == Status::wrong) close_worker();
  worker_.drop();
  rows_of_worker_.clear();
  if (row.status != Status::interrupted) {
    trials_.skip_rest(trial.member, Status::skipped, after(row));
  } else if (!retried) {
    // The configuration has not failed: a later run makes up for its other trials.
    trials_.stop(trial.member);
    outcome_.incomplete = true;
  }
  return !retried;
}

// Each build checks one run of each configuration and source among those that count. Until one has
// been checked, each attempt is, since which of them counts shows later. The counting code differs
// from the timed code, so it is checked on its own.
bool GraphSweep::wants_check(const Trial& trial) const {
  const CheckMode mode = context_.spec.check;
  if (mode != CheckMode::first) return mode == CheckMode::all;
  for (unsigned repeat = 0; repeat < trial.row.repeat; ++repeat) {
    const TrialState state =
        trials_.search(trial.member, *trial.source, repeat, TrialKind::timed).state;
    if (state.settled && state.validated) return false;
  }
  return true;
}

}  // namespace bfslab
