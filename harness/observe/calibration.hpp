// SPDX-License-Identifier: Apache-2.0
// Calibration: fixed pieces of work on one processor and on the GPU, timed when nothing else of
// this process runs. How far they differ before and after a worker's trials says how far the
// machine itself has drifted meanwhile: a neighbour of the virtual machine, a lower clock.
#pragma once

#include <optional>
#include <string>

namespace bfslab {

struct Calibration {
  double memory_ms = 0;   // to read 32 MiB in order
  double compute_ms = 0;  // for a chain of 800,000 operations that wait for each other
  double gpu_ms = 0;      // for a kernel on the whole GPU (kernels/device_services.hpp); 0: no GPU
};

// Each is the shortest of many times within 40 ms, 300 on the GPU, so that clocks have risen by
// then. Nothing where 32 MiB cannot be had.
std::optional<Calibration> calibrate(bool with_gpu);

struct Drift {
  double pct = 0;     // 50: one of them took 1.5 times as long as the other time
  std::string words;  // "reading 32 MiB took 1.2 ms before ... and 1.8 ms after them (50 %)"
};
// Of what such trials wait for: the processor's clock, and the GPU's or else the host's memory.
Drift drift_between(const Calibration& before, const Calibration& after, bool of_gpu_trials);

// Clock of the processor that this thread runs on, in MHz: from the time of a short chain of
// operations of one cycle each, the shortest of three, some 50 us in all. So it is known where no
// file tells it, as in virtual machines.
double processor_mhz();

}  // namespace bfslab
