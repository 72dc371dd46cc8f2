// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_worker.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/spec/work.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

namespace {

// Returns the reason why this program cannot start workers of several ranks here; empty if it can.
std::string no_ranks(const Launcher& launcher) {
  if (!distributed::built_with_mpi()) return distributed::kWithoutMpi;
  return launcher.missing();
}

}  // namespace

OpenRequest open_request(const SweepContext& context, const TrialGroup& group,
                         const GraphRow& facts) {
  const Spec& spec = context.spec;
  OpenRequest request;
  request.work = work_text(spec, group.graph, group.configurations);
  request.spec_file = std::filesystem::absolute(spec.file).string();
  request.traverses = spec.traverses();
  request.whole = spec.needs_csr(spec.graphs[group.graph]);
  request.data_folders = context.data_folders;
  request.cache_folder = context.cache_folder;
  request.drawn_from = facts.graph_hash;
  request.drawn = facts.sources;
  return request;
}

std::variant<GraphFactsReply, GroupWorker::Failure> GroupWorker::open(const OpenRequest& request) {
  const std::string& name = context_.spec.graphs[group_.graph].name.canonical;
  if (const auto missing = context_.unavailable.find(name); missing != context_.unavailable.end()) {
    return Failure{Status::skipped, missing->second, /*bad_input=*/true};
  }
  std::vector<std::string> launch;
  if (group_.ranks > 1) {
    if (std::string why = no_ranks(context_.launcher); !why.empty()) {
      return Failure{Status::unsupported, std::move(why)};
    }
    launch = context_.launcher.command(group_.ranks, rank_command(group_.ranks));
  }
  for (unsigned tries = 0;; ++tries) {
    if (auto opened = try_to_open(request, launch, tries == kRetries)) return *std::move(opened);
  }
}

// Returns nothing if another process ended the worker and this is not the last try.
std::optional<std::variant<GraphFactsReply, GroupWorker::Failure>> GroupWorker::try_to_open(
    const OpenRequest& request, const std::vector<std::string>& launch, bool last) {
  const Limits& limits = context_.spec.limits;
  process_ = std::make_unique<WorkerProcess>(context_.results.path() + "/worker.log",
                                             WorkerLimits{limits.trial_s, limits.memory_mib << 20},
                                             context_.interrupts, launch);
  const auto notice = [&](const std::string& text) { context_.progress.step("  " + text); };
  auto outcome = process_->ask(request, notice);
  if (auto* facts = std::get_if<GraphFactsReply>(&outcome)) return std::move(*facts);
  drop();
  if (const auto* failed = std::get_if<FailedReply>(&outcome)) {
    return Failure{failed->status, failed->reason, failed->status == Status::skipped};
  }
  const auto& death = std::get<WorkerDeath>(outcome);
  if (death.status == Status::interrupted && !last) {
    context_.progress.warn(fmt::format("{}: interrupted, and tried again: {}",
                                       context_.spec.graphs[group_.graph].text, death.reason));
    return std::nullopt;
  }
  return Failure{death.status, death.reason, /*bad_input=*/false, /*died=*/true};
}

WorkerProcess::Outcome GroupWorker::run(const TrialRequest& request) {
  return process_->ask(request, [&](const std::string& text) { context_.progress.step(text); });
}

GroupWorker::Closing GroupWorker::close() {
  Closing closing;
  auto outcome = process_->ask(CloseRequest{}, [](const std::string&) {});
  if (const auto* closed = std::get_if<ClosedReply>(&outcome)) {
    closing.fault = closed->fault;
    closing.calibration = closed->calibration;
  }
  const auto* death = std::get_if<WorkerDeath>(&outcome);
  closing.ending = death != nullptr ? death->reason : process_->finish();
  drop();
  return closing;
}

}  // namespace bfslab
