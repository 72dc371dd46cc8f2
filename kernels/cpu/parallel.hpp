// SPDX-License-Identifier: Apache-2.0
// The threads toggle of the CPU engines, and the size of their OpenMP teams.
#pragma once

#include <omp.h>

#include "kernels/toggle.hpp"

namespace bfslab::cpu {

// 0 means every processor that OpenMP sees.
inline Toggle threads_toggle() {
  return Toggle::integer("threads", 0, 0, 4096, "OpenMP threads; 0 uses every processor",
                         "cs406 4.1");
}

inline int team_size(const Toggles& toggles) {
  const auto threads = static_cast<int>(toggles.integer("threads"));
  return threads > 0 ? threads : omp_get_num_procs();
}

// Returns the number of threads of a team of `wanted` from now on. OMP_THREAD_LIMIT may allow
// fewer, and a team must know its size to share out its work.
inline int granted_team(int wanted) {
  omp_set_dynamic(0);
  int granted = 1;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  granted = omp_get_num_threads();
  return granted;
}

}  // namespace bfslab::cpu
