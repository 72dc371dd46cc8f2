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
  // What lies between the two is what ncu and nsys capture if they are configured to wait for it.
  void (*profiler_start)();
  void (*profiler_stop)();
  // "0000:3b:00.0", the current device's: NVML numbers devices in another order than CUDA does.
  // Empty if there is none.
  std::string (*pci_bus_id)();
  // Initialises the GPU for this process, which takes some 100 ms once: before the first engine is
  // loaded, so that no engine's set-up time includes it. Does nothing if there is no GPU.
  void (*open)() = [] {};
};

const DeviceServices& device_services();
void set_device_services(const DeviceServices& services);

}  // namespace bfslab
