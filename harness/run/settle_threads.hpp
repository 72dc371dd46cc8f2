// SPDX-License-Identifier: Apache-2.0
// Puts OpenMP's threads into a known state between the check of one answer and the next search.
#pragma once

#include "harness/record/rows.hpp"

namespace bfslab {

// OpenMP's threads checked the last answer, and spin for milliseconds after that. They are ended
// before an engine with other threads, with none, or with a single one, so that they do not share
// the processors with it (a region of one thread would not end them). An engine that searches with
// several finds that number awake, each on a separate processor if there are enough, so that they
// meet within microseconds. `threads`: the OpenMP threads of the next search; empty if the engine
// uses other threads.
void settle_threads(OptionalCount threads);

}  // namespace bfslab
