// SPDX-License-Identifier: Apache-2.0
// The outcome of a trial, as a worker's reply or its death, in the columns of the trial's row.
#pragma once

#include "harness/run/protocol.hpp"
#include "harness/run/worker_process.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Writes the facts of a reply to `row`, whether the row is polluted, and why. `was_stopped`: a
// signal stopped the worker during the trial. A time that no search can take makes the row a
// `crash`, or `unsupported` if an external program reported it.
void take_reply(const Spec& spec, const Configuration& configuration, bool was_stopped,
                const TrialReply& reply, RunRow& row);

// Writes the death of the worker to `row`. `retried`: the trial is attempted again.
void take_death(const WorkerDeath& death, bool retried, RunRow& row);

}  // namespace bfslab
