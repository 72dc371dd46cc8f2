// SPDX-License-Identifier: Apache-2.0
// Times a search between the observers of what may disturb it: other programs, other users of the
// GPU, and a lower clock.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/run/cold_caches.hpp"
#include "harness/run/protocol.hpp"
#include "harness/run/worker_services.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

struct TimedSearch {
  const Engine& engine;
  const Configuration& configuration;
  bool instrumented = false;
  unsigned times = 1;        // the recorded time is the mean
  bool load_matters = true;  // foreign load can make the trial polluted
  // If set, decides in place of `times`, before each call, whether it follows `done` earlier ones.
  std::function<bool(unsigned done)> again = {};
  ColdCaches* cold = nullptr;  // overwrites caches before the first call; null: it does not
};

// Calls `work`, which searches by the engine, `search.times` times. Writes to `reply`:
// time_ms and gpu_ms, means per call; the state of caches; the foreign load, in words too; the
// clocks of processor and GPUs; and measures of the observers. Each call begins and ends with a
// barrier of all ranks.
void time_search(const WorkerServices& services, const TimedSearch& search,
                 const std::function<void()>& work, TrialReply& reply);

// Returns the number of threads of a configuration whose engine has the toggle `threads`; empty for
// others. The environment may limit it (OMP_THREAD_LIMIT).
OptionalCount threads_of(const Configuration& configuration);

// Returns the PCI bus ids of the GPUs on which this process runs the configuration.
std::vector<std::string> buses_of(const Configuration& configuration);

MeasureRow measure_row(const char* part, const char* metric, double value, const char* unit,
                       unsigned rank = 0);

// Milliseconds since `begin`.
double ms_since(std::chrono::steady_clock::time_point begin);

}  // namespace bfslab
