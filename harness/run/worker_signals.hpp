// SPDX-License-Identifier: Apache-2.0
// The signal handlers of a worker: they note which signals another process sent.
#pragma once

#include "harness/run/step_clock.hpp"

namespace bfslab {

// Lets the driver distinguish a worker that crashes from one that another process ends: the
// handlers write to `steps`, which must live as long as the process.
void note_senders(StepClock& steps);
// The same in a rank, which also writes a line to its standard error (protocol.hpp).
void note_senders_of_rank(StepClock& steps, unsigned rank);

// Keeps a rank whose connection is broken from ending before the rank that caused it.
void outlive_broken_connections();

}  // namespace bfslab
