// SPDX-License-Identifier: Apache-2.0
// Calibration: fixed pieces of work on one processor and on the GPU, timed while nothing else of
// this process runs. The difference before and after a worker's trials shows how far the machine
// itself has drifted meanwhile: a neighbour of the virtual machine, a lower clock.
#pragma once

#include <optional>
#include <string>

namespace bfslab {

struct Calibration {
  double memory_ms = 0;   // reads 32 MiB in order
  double compute_ms = 0;  // a chain of 800,000 operations that wait for each other
  double gpu_ms = 0;      // a kernel on the whole GPU (kernels/device_services.hpp); 0: no GPU
};

// Times each piece of work. Each time is the shortest of many within 40 ms, 300 ms on the GPU, so
// that clocks have risen by then. Returns nothing if 32 MiB cannot be allocated.
std::optional<Calibration> calibrate(bool with_gpu);

struct Drift {
  double pct = 0;     // 50: a piece of work took 1.5 times as long as the other time
  std::string words;  // "reading 32 MiB took 1.2 ms before ... and 1.8 ms after them (50 %)"
};
// Compares what such trials depend on: the processor's clock, and the GPU or else the host's
// memory.
Drift drift_between(const Calibration& before, const Calibration& after, bool of_gpu_trials);

// Returns the clock of the processor that this thread runs on, in MHz. It is computed from the time
// of a short chain of operations of one cycle each, the shortest of three, some 50 us in all. So it
// is known where no file has it, as in virtual machines.
double processor_mhz();

}  // namespace bfslab
