// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cross_check.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>

#include "harness/record/row_reader.hpp"
#include "harness/run/group_worker.hpp"

namespace bfslab {

void CrossCheck::compare(RunRow& row) {
  const Agreement::Known* const known = context_.agreement.find(row);
  const SearchCounts own(row);
  if (known == nullptr || known->counts.agrees(own)) return;
  const Agreement::Known before = *known;
  context_.progress.warn(fmt::format("{} on {}, source {}: {}, and {} has {}", row.case_name,
                                     row.graph, *row.source, own.text(), before.who,
                                     before.counts.text()));
  const std::optional<SearchCounts> right = reference(row);
  if (right && !right->agrees(before.counts)) {
    context_.agreement.settle(row, *right);
    if (before.experiment == row.experiment) {
      refute_rows(row, *right);
    } else {
      wrong_elsewhere_ = true;
      context_.progress.warn(
          fmt::format("{} is wrong: the sequential reference has {}", before.who, right->text()));
    }
  }
  if (right && right->agrees(own)) return;
  TrialFacts facts;
  facts.status = Status::wrong;
  facts.setup_ms = row.setup_ms;
  facts.validated = row.validated;
  facts.threads = row.threads;
  static_cast<TrialFacts&>(row) = facts;
  row.polluted = false;
  row.reason =
      fmt::format("{}, and {} has {}", own.text(), right ? "the sequential reference" : before.who,
                  right ? right->text() : before.counts.text());
}

// Runs in a fresh worker process, whose memory no engine has touched. Returns nothing if the graph
// is not loaded whole.
std::optional<SearchCounts> CrossCheck::reference(const RunRow& row) const {
  WorkerProcess judge(context_.results.path() + "/worker.log", {}, context_.interrupts);
  const auto silent = [](const std::string&) {};
  OpenRequest open = open_request(context_, trials_.group(), trials_.facts());
  open.graph_alone = true;
  const auto opened = judge.ask(open, silent);
  const auto* facts = std::get_if<GraphFactsReply>(&opened);
  if (facts == nullptr || facts->graph_hash != trials_.facts().graph_hash) return std::nullopt;
  TrialRequest request;
  request.source = row.source;
  request.depth_limit = static_cast<level_t>(row.depth_limit.value_or(kNoDepthLimit));
  request.reference = true;
  const auto outcome = judge.ask(request, silent);
  const auto* reply = std::get_if<TrialReply>(&outcome);
  if (reply == nullptr || reply->status != Status::ok) return std::nullopt;
  return SearchCounts(*reply);
}

// Takes back this experiment's rows of the same search whose counts differ from the reference.
void CrossCheck::refute_rows(const RunRow& row, const SearchCounts& right) {
  const std::string text = read_file(context_.results.path() + "/runs.csv");
  for (const RunRow& other : standing_rows(read_rows<RunRow>(text, {}, Damage::pass_over))) {
    const SearchCounts counts(other);
    if (other.status != Status::ok || other.graph_hash != row.graph_hash ||
        other.source != row.source || other.depth_limit != row.depth_limit ||
        right.agrees(counts)) {
      continue;
    }
    const std::string reason = fmt::format("trial {} has {}, and the sequential reference {}",
                                           other.trial, counts.text(), right.text());
    const TrialState state = trials_.state(other);
    if (!state.settled || state.status == Status::ok) {
      trials_.take_back(other, state, Status::wrong, reason);
    }
    context_.progress.warn(
        fmt::format("{} on {}: wrong: {}", other.case_name, other.graph, reason));
  }
  trials_.skip_rest_of_failed();
}

}  // namespace bfslab
