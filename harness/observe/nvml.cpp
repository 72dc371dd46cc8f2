#include "harness/observe/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace bfslab::nvml {

namespace {

// As in nvml.h, which many toolkits lack.
using Device = struct nvmlDevice_st*;
struct Memory {
  unsigned long long total, free, used;
};
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;

struct Library {
  int (*init)();
  int (*driver_version)(char*, unsigned);
  int (*cuda_version)(int*);
  int (*count)(unsigned*);
  int (*by_index)(unsigned, Device*);
  int (*by_bus)(const char*, Device*);
  int (*name)(Device, char*, unsigned);
  int (*uuid)(Device, char*, unsigned);
  int (*memory)(Device, Memory*);
  int (*clock)(Device, int, unsigned*);
  int (*max_clock)(Device, int, unsigned*);
  int (*applications_clock)(Device, int, unsigned*);
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

std::optional<Library> open() {
  void* const handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  Library library{};
  find(handle, "nvmlInit_v2", library.init);
  find(handle, "nvmlSystemGetDriverVersion", library.driver_version);
  find(handle, "nvmlSystemGetCudaDriverVersion_v2", library.cuda_version);
  find(handle, "nvmlDeviceGetCount_v2", library.count);
  find(handle, "nvmlDeviceGetHandleByIndex_v2", library.by_index);
  find(handle, "nvmlDeviceGetHandleByPciBusId_v2", library.by_bus);
  find(handle, "nvmlDeviceGetName", library.name);
  find(handle, "nvmlDeviceGetUUID", library.uuid);
  find(handle, "nvmlDeviceGetMemoryInfo", library.memory);
  find(handle, "nvmlDeviceGetClockInfo", library.clock);
  find(handle, "nvmlDeviceGetMaxClockInfo", library.max_clock);
  find(handle, "nvmlDeviceGetApplicationsClock", library.applications_clock);
  if (library.init == nullptr || library.init() != kSuccess) return std::nullopt;
  return library;
}

// Stays open until the process ends.
const std::optional<Library>& library() {
  static const std::optional<Library> opened = open();
  return opened;
}

// An older library may lack a function: its values are then left out.
template <typename... Parameters, typename... Arguments>
bool ask(int (*function)(Parameters...), Arguments... arguments) {
  return function != nullptr && function(arguments...) == kSuccess;
}

template <typename Function, typename... Leading>
std::string text(Function function, Leading... leading) {
  std::array<char, 96> buffer{};
  if (!ask(function, leading..., buffer.data(), static_cast<unsigned>(buffer.size()))) return {};
  return buffer.data();
}

std::optional<unsigned> clock_of(int (*function)(Device, int, unsigned*), Device device) {
  unsigned mhz = 0;
  if (!ask(function, device, kClockSm, &mhz)) return std::nullopt;
  return mhz;
}

Gpu describe(const Library& nvml, Device device) {
  Gpu gpu;
  gpu.name = text(nvml.name, device);
  gpu.uuid = text(nvml.uuid, device);
  Memory memory{};
  if (ask(nvml.memory, device, &memory)) gpu.memory_bytes = memory.total;
  gpu.sm_clock = clock_of(nvml.clock, device);
  gpu.max_sm_clock = clock_of(nvml.max_clock, device);
  gpu.applications_sm_clock = clock_of(nvml.applications_clock, device);
  return gpu;
}

}  // namespace

std::optional<Report> report() {
  if (!library()) return std::nullopt;
  const Library& nvml = *library();
  Report report;
  report.driver = text(nvml.driver_version);
  int cuda = 0;
  if (ask(nvml.cuda_version, &cuda)) {
    report.cuda = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  }
  unsigned count = 0;
  if (!ask(nvml.count, &count)) count = 0;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (ask(nvml.by_index, i, &device)) report.gpus.push_back(describe(nvml, device));
  }
  return report;
}

std::optional<double> sm_clock_mhz(const std::string& pci_bus_id) {
  Device device = nullptr;
  if (pci_bus_id.empty() || !library() || !ask(library()->by_bus, pci_bus_id.c_str(), &device)) {
    return std::nullopt;
  }
  return clock_of(library()->clock, device);
}

}  // namespace bfslab::nvml
