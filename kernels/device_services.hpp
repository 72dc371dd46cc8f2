// What the harness asks of a GPU, in plain C++ and in every build. kernels/cuda puts its own
// functions here when the program starts; a build without CUDA keeps those that refuse.
#pragma once

#include <cstddef>
#include <string>

namespace bfslab {

struct DeviceServices {
  // `bytes` of device memory into host memory, complete on return. Throws DeviceError; in builds
  // without CUDA std::logic_error, since no engine of such a build answers in device memory.
  void (*copy_to_host)(void* to, const void* from, std::size_t bytes);
  // What lies between the two is what ncu and nsys capture when they are told to wait for it.
  void (*profiler_start)();
  void (*profiler_stop)();
  // "0000:3b:00.0", the current device's: NVML counts devices in another order than CUDA does.
  // Empty where there is none.
  std::string (*pci_bus_id)();
  // Makes the process known to the GPU, which takes some 100 ms once: before the first engine is
  // loaded, so that no engine's set-up time holds it. Does nothing where there is none.
  void (*open)() = [] {};
};

const DeviceServices& device_services();
void set_device_services(const DeviceServices& services);

}  // namespace bfslab
