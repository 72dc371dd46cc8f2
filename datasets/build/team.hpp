// SPDX-License-Identifier: Apache-2.0
// The size of an OpenMP team: as requested, or every processor.
#pragma once

#include <omp.h>

namespace bfslab {

inline int team(int threads) { return threads > 0 ? threads : omp_get_num_procs(); }

}  // namespace bfslab
