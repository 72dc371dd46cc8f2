// SPDX-License-Identifier: Apache-2.0
// OpenMP's threads between the judgement of one answer and the search of the next.
#pragma once

#include "harness/record/rows.hpp"

namespace bfslab {

// OpenMP's threads judged the last answer, and look for work for milliseconds after that. An engine
// with threads of its own, with none, or with a single one does not share the processors with them:
// they go (a region of one thread would leave them be). One that searches with several finds as
// many as it takes, awake, and each on a processor of its own if there are so many: then they meet
// within microseconds. `threads`: of OpenMP's that the next search takes; none where it has its
// own.
void settle_threads(OptionalCount threads);

}  // namespace bfslab
