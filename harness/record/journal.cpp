#include "harness/record/journal.hpp"

#include <fmt/format.h>

#include <utility>

namespace bfslab {

namespace {

std::string configuration_key(const RunRow& row) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", row.case_name, row.graph,
                     row.graph_hash, row.engine, row.toggles, row.ranks, row.gpus_per_rank);
}

std::string trial_key(const RunRow& row) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}", configuration_key(row), row.source.value_or(kNoVertex),
                     row.repeat, row.instrumented ? 1 : 0);
}

bool is_failure(Status status) {
  return status == Status::oom || status == Status::timeout || status == Status::crash ||
         status == Status::wrong || status == Status::unsupported;
}

}  // namespace

void Journal::add(const RunRow& row) {
  const auto settle = [&](TrialState& state) {
    if (!std::exchange(state.settled, true)) ++counts_[static_cast<std::size_t>(row.status)];
  };
  if (tells_of_graph(row)) {
    ++counts_[static_cast<std::size_t>(row.status)];
    return;
  }
  TrialState& state = trials_[trial_key(row)];
  ++state.attempts;
  const double load = row.foreign_load_pct.value_or(0);
  if (row.status != Status::ok) {
    if (is_failure(row.status)) failures_.try_emplace(configuration_key(row), row);
    settle(state);
    return;
  }
  // Of several attempts the first unpolluted one counts, or else the one with the least foreign
  // load.
  if (!state.settled && (!row.polluted || state.attempts == 1 || load < state.counted_load_pct)) {
    state.time_ms = row.time_ms;
    state.counted_load_pct = load;
  }
  // An instrumented trial times nothing, so pollution does not matter.
  if (!row.polluted || row.instrumented || state.attempts >= attempts_) {
    settle(state);
  }
}

TrialState Journal::state(const RunRow& row) const {
  const auto found = trials_.find(trial_key(row));
  return found == trials_.end() ? TrialState{} : found->second;
}

const RunRow* Journal::failure(const RunRow& row) const {
  const auto found = failures_.find(configuration_key(row));
  return found == failures_.end() ? nullptr : &found->second;
}

}  // namespace bfslab
