// SPDX-License-Identifier: Apache-2.0
// Graphs generated on the GPU and copied to the host, in plain C++ and in every build. A worker
// that will use a GPU builds there, in a fraction of the CPU's time.
#pragma once

#include <optional>
#include <string>

#include "datasets/build/build.hpp"
#include "datasets/generate/quadrant_tuples.hpp"
#include "kernels/cuda_function.hpp"

namespace bfslab {

struct DeviceBuild {
  std::optional<BuiltArrays> built;
  std::string why_not;  // also empty if the GPU does not support the generator
};

inline DeviceBuild build_without_cuda(const EdgeSource& source, const BuildOptions& /*options*/) {
  if (dynamic_cast<const QuadrantSource*>(&source) == nullptr) return {};
  return {{}, "this bfslab was built without CUDA"};
}

// Sets why_not if there is no CUDA, no usable GPU, or too little GPU memory. Throws DeviceError,
// and std::bad_alloc for the host's memory.
inline constinit CudaFunction<DeviceBuild(const EdgeSource& source, const BuildOptions& options)>
    build_on_device{build_without_cuda};

}  // namespace bfslab
