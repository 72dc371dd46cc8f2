// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_trials.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/record/spec_rows.hpp"
#include "harness/run/stopping_rule.hpp"
#include "harness/spec/runnable.hpp"

namespace bfslab {

namespace {

// Returns the reason why an engine or a counter cannot do this at all; empty if it can.
std::string cannot(const EngineInfo& engine, const Spec& spec, const GraphRow& graph) {
  const Capabilities& can = engine.can;
  if (engine.counts()) {
    return graph.symmetric || can.directed ? "" : "the counter does not count directed graphs";
  }
  if (!graph.symmetric && !can.directed) return "the engine does not traverse directed graphs";
  if (!can.answers()) return {};  // an external program that reports only its time
  if (wants_levels(spec.answer) && !can.levels) return "the engine does not compute levels";
  if (wants_parents(spec.answer) && !can.parents) return "the engine does not compute parents";
  return {};
}

}  // namespace

std::string after(const RunRow& failure) {
  if (!failure.source) return fmt::format("after {}", to_text(failure.status));
  return fmt::format("after {} at source {}", to_text(failure.status), *failure.source);
}

GroupTrials::GroupTrials(SweepContext& context, TrialGroup group)
    : context_(context), group_(std::move(group)) {
  for (const std::size_t c : group_.configurations) {
    Member member;
    member.row = planned_row(context.spec, graph(), context.spec.configurations[c]);
    member.row.build_hash = context.build_hash;
    member.row.commit = context.commit;
    member.row.environment = context.results.environment();
    members_.push_back(std::move(member));
  }
}

void GroupTrials::begin(const GraphRow& facts) {
  facts_ = facts;
  begun_ = true;
  const Spec& spec = context_.spec;
  context_.progress.adjust(
      static_cast<std::int64_t>(planned_trials(spec, group_, facts.sources.size())) -
      static_cast<std::int64_t>(planned_trials(spec, group_)));
  for (Member& member : members_) {
    member.row.graph_hash = facts.graph_hash;
    member.row.graph_input_edges = facts.input_edges;
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    context_.progress.found_done(recount(m));
    if (const RunRow* failure = context_.results.journal().failure(members_[m].row)) {
      // A run that was killed just after a failure still lacks the rows of what it skipped.
      const bool unsupported = failure->status == Status::unsupported;
      skip_rest(m, unsupported ? Status::unsupported : Status::skipped,
                unsupported ? failure->reason : after(*failure));
      continue;
    }
    const Configuration& member = configuration(m);
    if (const std::string why = cannot(*member.engine, spec, facts_); !why.empty()) {
      skip_rest(m, Status::unsupported, why);
    } else if (member.engine->can.external) {
      const std::string missing = cannot_make(member, spec.answer);
      if (missing.empty()) continue;
      context_.progress.warn(
          fmt::format("{} on {}: unsupported: {}", member.case_name, graph().text, missing));
      fail_for_now(m, Status::unsupported, missing);
    }
  }
}

bool GroupTrials::no_sources() const {
  return begun_ && context_.spec.traverses() && facts_.sources.empty();
}

Trial GroupTrials::with_state(Trial trial) const {
  trial.state = state(trial.row);
  return trial;
}

Trial GroupTrials::search(std::size_t member, std::size_t source, unsigned repeat,
                          TrialKind kind) const {
  Trial trial{member, source, members_[member].row, {}};
  trial.row.source = facts_.sources[source];
  trial.row.repeat = repeat;
  trial.row.instrumented = kind != TrialKind::timed;
  if (kind == TrialKind::energy) trial.row.recorded = kEnergy;
  return with_state(std::move(trial));
}

Trial GroupTrials::count(std::size_t member) const {
  Trial trial{member, std::nullopt, members_[member].row, {}};
  trial.row.instrumented = true;
  return with_state(std::move(trial));
}

TrialState GroupTrials::state(const RunRow& row) const {
  return context_.results.journal().state(row);
}

template <typename Stop>
bool GroupTrials::any_trial(std::size_t member, unsigned repeats, const Stop& stop) const {
  const Spec& spec = context_.spec;
  if (counts(member)) return stop(count(member));
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    for (unsigned repeat = 0; spec.record_time && repeat < repeats; ++repeat) {
      if (stop(search(member, s, repeat, TrialKind::timed))) return true;
    }
    if (spec.record_levels && stop(search(member, s, 0, TrialKind::levels))) return true;
    if (spec.record_energy && stop(search(member, s, 0, TrialKind::energy))) return true;
  }
  return false;
}

void GroupTrials::take_time(Member& member, std::size_t source, const TrialState& state) const {
  if (!state.time_ms) return;
  member.times[source].push_back(*state.time_ms);
  member.spent_s += *state.time_ms / 1000;
}

std::uint64_t GroupTrials::recount(std::size_t m) {
  Member& member = members_[m];
  member.times.assign(facts_.sources.size(), {});
  member.spent_s = 0;
  std::uint64_t found = 0;
  any_trial(m, context_.spec.repeats.maximum, [&](const Trial& trial) {
    if (!trial.state.settled) return false;
    ++found;
    if (!trial.row.instrumented) take_time(member, *trial.source, trial.state);
    return false;
  });
  return found;
}

void GroupTrials::recount() {
  for (std::size_t m = 0; m < members_.size(); ++m) recount(m);
}

bool GroupTrials::wanted(std::size_t member, std::size_t source, unsigned repeat) const {
  const RepeatRule& rule = context_.spec.repeats;
  if (repeat < rule.minimum) return true;
  const std::vector<double>& times = members_[member].times[source];
  return times.size() == repeat && needs_repeat(rule, times, members_[member].spent_s);
}

bool GroupTrials::anything_left() const {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].stopped) continue;
    const bool left = any_trial(m, context_.spec.repeats.maximum, [&](const Trial& trial) {
      if (trial.state.settled) return false;
      return trial.row.instrumented || wanted(m, *trial.source, trial.row.repeat);
    });
    if (left) return true;
  }
  return false;
}

std::uint64_t GroupTrials::append(Trial& trial, const RunRow& row, std::span<const LevelRow> levels,
                                  std::span<const MeasureRow> measures) {
  const std::uint64_t number = context_.results.append(row, levels, measures);
  trial.state = state(row);
  return number;
}

void GroupTrials::finish(const Trial& trial) {
  if (!trial.state.settled) return;  // polluted, and to be repeated
  if (!trial.row.instrumented) {
    if (trial.row.repeat >= context_.spec.repeats.minimum) context_.progress.adjust(1);
    take_time(members_[trial.member], *trial.source, trial.state);
  }
  context_.progress.trial_done(trial.row.graph, trial.row.case_name, true);
}

void GroupTrials::take_back(RunRow row, const TrialState& state, Status status,
                            const std::string& reason) {
  row.attempt = state.attempts;
  static_cast<TrialFacts&>(row) = {};
  row.status = status;
  row.reason = reason;
  row.polluted = false;
  row.utc = utc_now();
  context_.results.append(row);
}

void GroupTrials::skip_rest(std::size_t member, Status status, const std::string& reason) {
  stop(member);
  any_trial(member, context_.spec.repeats.minimum, [&](Trial trial) {
    if (trial.state.settled) return false;
    trial.row.attempt = trial.state.attempts;
    trial.row.status = status;
    trial.row.reason = reason;
    trial.row.utc = utc_now();
    context_.results.append(trial.row);
    context_.progress.trial_done(trial.row.graph, trial.row.case_name, false);
    return false;
  });
}

void GroupTrials::skip_rest_of_failed() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (stopped(m)) continue;
    const RunRow* const failure = context_.results.journal().failure(members_[m].row);
    if (failure != nullptr) skip_rest(m, Status::skipped, after(RunRow(*failure)));
  }
}

void GroupTrials::refuse_graph(Status status, const std::string& reason, bool counters_too) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!stopped(m) && (!counts(m) || counters_too)) fail_for_now(m, status, reason);
  }
}

void GroupTrials::fail_for_now(std::size_t member, Status status, const std::string& reason) {
  stop(member);
  RunRow row = members_[member].row;
  row.status = status;
  row.reason = reason;
  row.utc = utc_now();
  context_.results.append(row);
}

}  // namespace bfslab
