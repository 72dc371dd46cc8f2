// SPDX-License-Identifier: Apache-2.0
// Implements kernels/device_build.hpp with CUDA. Cost beside the build itself: the graph crosses
// the bus once, 4 bytes per entry and 12 to 16 per vertex.
#include "kernels/cuda/build/device_build.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/device_build.hpp"

namespace bfslab::cuda {

namespace {

DeviceBuild build_for_host(const EdgeSource& source, const BuildOptions& options) {
  if (!builds_on_device(source)) return {};
  try {
    device();  // throws if there is no GPU
    const Stream stream;
    const BuiltGraph built = build_on_device(source, options, stream);
    return {BuiltArrays{copy_to_host(built, stream), built.self_loops, built.duplicates}, {}};
  } catch (const InputError& error) {
    return {{}, error.what()};
  } catch (const OutOfDeviceMemory& error) {
    return {{}, error.what()};
  }
}

[[maybe_unused]] const bool supplied = bfslab::build_on_device.supply(build_for_host);

}  // namespace

}  // namespace bfslab::cuda
