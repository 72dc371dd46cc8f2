// SPDX-License-Identifier: Apache-2.0
// WorkerServices: the clocks, meters and processes that every trial of a worker uses.
#pragma once

#include "harness/observe/gpu_watch.hpp"
#include "harness/observe/load_meter.hpp"
#include "harness/run/step_clock.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

struct WorkerServices {
  StepClock& steps;
  LoadMeter& meter;
  GpuWatch& gpu_watch;
  distributed::Processes& processes;
};

}  // namespace bfslab
