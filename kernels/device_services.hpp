// SPDX-License-Identifier: Apache-2.0
// Services of a GPU to the harness, in plain C++ and in every build (kernels/cuda_function.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/cuda_function.hpp"

namespace bfslab::gpu {

// Copies `bytes` of device memory into host memory, complete on return. Throws DeviceError.
inline constinit CudaFunction<void(void* to, const void* from, std::size_t bytes)> copy_to_host{
    "copying an answer out of device memory"};

// ncu and nsys capture the work between the two if they are configured to wait for them.
inline constinit CudaFunction<void()> profiler_start{[] {}};
inline constinit CudaFunction<void()> profiler_stop{[] {}};

// Returns the PCI bus ids, such as "0000:3b:00.0", of the devices on which this process's `members`
// work, each device once: the current one and those after it, cyclically, as distributed::MemberGpu
// assigns them. NVML numbers devices in another order than CUDA does. Empty if there is none.
inline constinit CudaFunction<std::vector<std::string>(unsigned members)> pci_bus_ids{
    [](unsigned) { return std::vector<std::string>(); }};

// Returns the current device's, or an empty string.
inline std::string pci_bus_id() {
  const std::vector<std::string> all = pci_bus_ids(1);
  return all.empty() ? std::string() : all.front();
}

// Runs a fixed amount of work on the whole GPU at `bus`, waits for it and returns its time in ms:
// about 80 us on an H200 that no other program uses. Returns 0 if there is no GPU.
inline constinit CudaFunction<double(const std::string& bus)> probe_ms{
    [](const std::string&) { return 0.0; }};

// Overwrites the L2 cache of the devices on which this process's `members` work, by memory of twice
// its size, which is allocated once per device and kept. Returns the bytes written on all of them.
// Complete on return. Throws OutOfDeviceMemory.
inline constinit CudaFunction<std::size_t(unsigned members)> overwrite_l2{
    "overwriting the L2 cache of a GPU"};

// Initialises the GPU for this process, which takes some 100 ms once. Called before the first
// engine is loaded, so that no engine's set-up time includes it. Does nothing if there is no GPU.
inline constinit CudaFunction<void()> open{[] {}};

}  // namespace bfslab::gpu
