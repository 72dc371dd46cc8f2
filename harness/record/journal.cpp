// SPDX-License-Identifier: Apache-2.0
#include "harness/record/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bfslab {

namespace {

std::string configuration_key(const RunRow& row) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", row.case_name, row.graph,
                     row.graph_hash, row.engine, row.toggles, row.ranks, row.gpus_per_rank);
}

std::string trial_key(const RunRow& row) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}", configuration_key(row),
                     row.source.value_or(kNoVertex), row.repeat, row.instrumented ? 1 : 0,
                     row.recorded);
}

bool is_failure(Status status) {
  return status == Status::oom || status == Status::timeout || status == Status::crash ||
         status == Status::wrong || status == Status::unsupported;
}

}  // namespace

void Journal::count_as(Trial& trial, std::optional<Status> status) {
  const auto add = [&](std::size_t by) {  // or subtract
    counts_[static_cast<std::size_t>(trial.status)] += by;
    if (trial.status != Status::ok || trial.instrumented) return;
    timed_ += by;
    if (trial.polluted) polluted_ += by;
  };
  if (trial.counted) add(-std::size_t{1});
  trial.counted = status.has_value();
  if (!status) return;
  trial.status = *status;
  add(1);
}

void Journal::add(const RunRow& row) {
  if (is_graph_failure(row)) {
    ++counts_[static_cast<std::size_t>(row.status)];
    return;
  }
  const std::string key = trial_key(row);
  Trial& trial = trials_[key];
  trial.instrumented = row.instrumented;
  ++trial.attempts;
  if (row.status != Status::ok || trial.status != Status::ok) {
    // Earlier attempts no longer count.
    trial.configuration = configuration_key(row);
    const auto failure = failures_.find(trial.configuration);
    if (failure != failures_.end() && trial_key(failure->second) == key) failures_.erase(failure);
    count_as(trial, std::nullopt);
    const unsigned attempts = trial.attempts;
    static_cast<TrialState&>(trial) = TrialState{};
    trial.attempts = attempts;
    trial.tried.clear();
  }
  if (row.status != Status::ok) {
    if (is_failure(row.status)) failures_.try_emplace(trial.configuration, row);
    trial.settled = row.status != Status::interrupted;
    count_as(trial, row.status);
    return;
  }
  trial.tried.push_back({row.trial, row.time_ms, row.foreign_load_pct.value_or(0), is_spoilt(row),
                         row.validated && (build_.empty() || row.build_hash == build_)});
  settle(trial);
}

// The first unpolluted attempt counts, or else the one with the least foreign load.
void Journal::settle(Trial& trial) {
  count_as(trial, std::nullopt);
  const auto counts = std::ranges::min_element(trial.tried, {}, [](const Attempt& each) {
    return std::pair(each.polluted, each.polluted ? each.load_pct : 0);
  });
  trial.measured = static_cast<unsigned>(trial.tried.size());
  trial.time_ms = counts->time_ms;
  trial.polluted = counts->polluted;
  trial.validated = counts->validated;
  trial.settled = !trial.polluted || trial.measured >= attempts_;
  if (trial.settled) count_as(trial, Status::ok);
}

void Journal::pollute(const RunRow& row) {
  const auto trial = trials_.find(trial_key(row));
  if (trial == trials_.end() || row.instrumented) return;
  for (Attempt& each : trial->second.tried) {
    if (each.trial != row.trial) continue;
    each.polluted = true;
    settle(trial->second);
  }
}

std::size_t Journal::reopen(const std::set<Status>& statuses) {
  std::set<std::string> again;  // configurations
  for (auto failure = failures_.begin(); failure != failures_.end();) {
    if (statuses.contains(failure->second.status)) {
      again.insert(failure->first);
      failure = failures_.erase(failure);
    } else {
      ++failure;
    }
  }
  std::size_t count = 0;
  for (auto& [key, trial] : trials_) {
    if (!trial.settled || trial.status == Status::ok || !again.contains(trial.configuration)) {
      continue;
    }
    if (trial.status != Status::skipped && !statuses.contains(trial.status)) continue;
    ++count;
    count_as(trial, std::nullopt);
    trial.settled = false;
  }
  return count;
}

TrialState Journal::state(const RunRow& row) const {
  const auto found = trials_.find(trial_key(row));
  if (found == trials_.end()) return {};
  return found->second;
}

const RunRow* Journal::failure(const RunRow& row) const {
  const auto found = failures_.find(configuration_key(row));
  return found == failures_.end() ? nullptr : &found->second;
}

}  // namespace bfslab
