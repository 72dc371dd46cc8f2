// SPDX-License-Identifier: Apache-2.0
// The main function of a benchmark program for the GPU.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "harness/record/build_info.hpp"
#include "harness/record/environment.hpp"
#include "kernels/cuda/device/device.hpp"

namespace bfslab::cuda {

// `experiment` is the name under which plots/benchmarks.py finds the numbers. Returns 0, or 2 after
// a message if there is no GPU or an argument is unknown.
inline int run_gpu_benchmarks(int argc, char** argv, const char* experiment,
                              void (*register_all)()) {
  const char* const program = argv[0];
  try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::AddCustomContext("experiment", experiment);
    benchmark::AddCustomContext("gpu", device().name);
    // As environment.json has it: machine, compiler and commit.
    benchmark::AddCustomContext("environment",
                                describe_environment({"", "", executable_hash(), command_line()}));
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
  return 0;
}

}  // namespace bfslab::cuda
