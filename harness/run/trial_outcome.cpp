// SPDX-License-Identifier: Apache-2.0
#include "harness/run/trial_outcome.hpp"

#include <fmt/format.h>

#include <string>

#include "harness/run/sweep_context.hpp"

namespace bfslab {

void take_reply(const Spec& spec, const Configuration& configuration, bool was_stopped,
                const TrialReply& reply, RunRow& row) {
  static_cast<TrialFacts&>(row) = reply;
  std::string disturbance = reply.disturbance;
  row.polluted = row.status == Status::ok && reply.foreign_load_pct > spec.pollution.limit_pct;
  if (row.status == Status::ok && was_stopped) {
    row.foreign_load_pct = 100;
    row.polluted = spec.pollution.limit_pct < 100;
    disturbance = "a signal stopped the worker for a while";
  }
  if (row.polluted) row.reason = disturbance;
  if (const std::string why = impossible_time(row); !why.empty()) {
    const bool external = configuration.engine->can.external;
    row.status = external ? Status::unsupported : Status::crash;
    row.polluted = false;
    row.reason = why + (external ? ", as the program reports it: search a larger graph, or leave "
                                   "out \"time\" so that its process is timed"
                                 : "");
  }
}

void take_death(const WorkerDeath& death, bool retried, RunRow& row) {
  row.status = death.status;
  row.reason = death.reason;
  if (row.status == Status::interrupted && !death.certain && !retried) {
    row.status = Status::crash;
    row.reason += fmt::format(", {} times in a row", kRetries + 1);
  }
}

}  // namespace bfslab
