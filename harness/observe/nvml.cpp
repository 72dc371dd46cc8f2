// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace bfslab::nvml {

namespace {

// Declarations of nvml.h, which many toolkits lack.
using Device = struct nvmlDevice_st*;
struct Memory {
  unsigned long long total, free, used;
};
struct Info {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
struct Utilization {
  unsigned gpu, memory;
};
constexpr unsigned kMaxProcesses = 64;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kUncorrected = 1;
constexpr int kSinceDriver = 0;

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
  int (*processes)(Device, unsigned*, Info*);
  int (*utilization)(Device, Utilization*);
  int (*slowed_by)(Device, unsigned long long*);
  int (*clock)(Device, int, unsigned*);
  int (*max_clock)(Device, int, unsigned*);
  int (*applications_clock)(Device, int, unsigned*);
  int (*power_limit)(Device, unsigned*);
  int (*default_power_limit)(Device, unsigned*);
  int (*persistence)(Device, unsigned*);
  int (*ecc)(Device, unsigned*, unsigned*);
  int (*mig)(Device, unsigned*, unsigned*);
  int (*errors)(Device, int, int, unsigned long long*);
  int (*energy)(Device, unsigned long long*);
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
  find(handle, "nvmlDeviceGetComputeRunningProcesses_v3", library.processes);
  find(handle, "nvmlDeviceGetUtilizationRates", library.utilization);
  find(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", library.slowed_by);
  find(handle, "nvmlDeviceGetClockInfo", library.clock);
  find(handle, "nvmlDeviceGetMaxClockInfo", library.max_clock);
  find(handle, "nvmlDeviceGetApplicationsClock", library.applications_clock);
  find(handle, "nvmlDeviceGetEnforcedPowerLimit", library.power_limit);
  find(handle, "nvmlDeviceGetPowerManagementDefaultLimit", library.default_power_limit);
  find(handle, "nvmlDeviceGetPersistenceMode", library.persistence);
  find(handle, "nvmlDeviceGetEccMode", library.ecc);
  find(handle, "nvmlDeviceGetMigMode", library.mig);
  find(handle, "nvmlDeviceGetTotalEccErrors", library.errors);
  find(handle, "nvmlDeviceGetTotalEnergyConsumption", library.energy);
  if (library.init == nullptr || library.init() != kSuccess) return std::nullopt;
  return library;
}

// The library, which stays open until the process ends.
const std::optional<Library>& library() {
  static const std::optional<Library> opened = open();
  return opened;
}

// Calls a function of the library. An older library may lack it: its values are then left out.
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

Use use(const Library& nvml, Device device) {
  Use use;
  use.uuid = text(nvml.uuid, device);
  use.name = text(nvml.name, device);
  Memory memory{};
  if (ask(nvml.memory, device, &memory)) {
    use.used_bytes = memory.used;
    use.free_bytes = memory.free;
  }
  std::array<Info, kMaxProcesses> processes{};
  unsigned count = kMaxProcesses;
  if (ask(nvml.processes, device, &count, processes.data())) {
    for (unsigned i = 0; i < std::min(count, kMaxProcesses); ++i) {
      const bool known = processes[i].used != ~0ULL;  // "not available"
      use.processes.push_back({processes[i].pid, known ? processes[i].used : 0});
    }
  }
  Utilization busy{};
  if (ask(nvml.utilization, device, &busy)) use.busy_pct = busy.gpu;
  if (!ask(nvml.slowed_by, device, &use.slowed_by)) use.slowed_by = 0;
  return use;
}

// Returns whether CUDA_VISIBLE_DEVICES shows the GPU, as far as it names devices by index or UUID.
bool is_visible(unsigned index, const std::string& uuid) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return true;
  std::istringstream words(visible);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == std::to_string(index) || (word.size() >= 8 && uuid.starts_with(word))) return true;
  }
  return false;
}

}  // namespace

namespace {

template <typename T>
std::vector<T> of_visible(T (*query)(const Library&, Device)) {
  std::vector<T> all;
  unsigned count = 0;
  if (!library() || !ask(library()->count, &count)) return all;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (!ask(library()->by_index, i, &device)) continue;
    if (is_visible(i, text(library()->uuid, device))) all.push_back(query(*library(), device));
  }
  return all;
}

Condition condition(const Library& nvml, Device device) {
  Condition condition;
  static_cast<Gpu&>(condition) = describe(nvml, device);
  const auto number = [&](int (*function)(Device, unsigned*)) {
    unsigned value = 0;
    return ask(function, device, &value) ? std::optional(value) : std::nullopt;
  };
  const auto current = [&](int (*function)(Device, unsigned*, unsigned*)) {
    unsigned now = 0;
    unsigned later = 0;  // after the next restart
    return ask(function, device, &now, &later) ? std::optional(now == 1) : std::nullopt;
  };
  if (!ask(nvml.slowed_by, device, &condition.slowed_by)) condition.slowed_by = 0;
  condition.power_limit_mw = number(nvml.power_limit);
  condition.default_power_limit_mw = number(nvml.default_power_limit);
  if (const auto on = number(nvml.persistence)) condition.persistence = *on == 1;
  condition.ecc = current(nvml.ecc);
  condition.mig = current(nvml.mig);
  unsigned long long errors = 0;
  if (ask(nvml.errors, device, kUncorrected, kSinceDriver, &errors)) {
    condition.uncorrected_errors = errors;
  }
  return condition;
}

}  // namespace

std::vector<Use> uses() { return of_visible(use); }

std::vector<Condition> conditions() { return of_visible(condition); }

std::optional<Use> use_of(const std::string& pci_bus_id) {
  Device device = nullptr;
  if (pci_bus_id.empty() || !library() || !ask(library()->by_bus, pci_bus_id.c_str(), &device)) {
    return std::nullopt;
  }
  return use(*library(), device);
}

std::string slowed_text(unsigned long long reasons) {
  // nvml.h, nvmlClocksEventReasons. An idle GPU, and work that needs all the power that the GPU may
  // have, are no disturbances.
  constexpr std::pair<unsigned long long, const char*> kReasons[] = {
      {0x08, "slowed by the hardware"},
      {0x10, "kept to another GPU's clock"},
      {0x20, "hot"},
      {0x40, "very hot"},
      {0x80, "out of external power"},
  };
  std::string words;
  for (const auto& [bit, word] : kReasons) {
    if ((reasons & bit) == 0) continue;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

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

std::string uuid_of(const std::string& pci_bus_id) {
  Device device = nullptr;
  if (pci_bus_id.empty() || !library() || !ask(library()->by_bus, pci_bus_id.c_str(), &device)) {
    return {};
  }
  return text(library()->uuid, device);
}

std::optional<double> energy_j(const std::string& pci_bus_id) {
  Device device = nullptr;
  unsigned long long mj = 0;
  if (pci_bus_id.empty() || !library() || !ask(library()->by_bus, pci_bus_id.c_str(), &device) ||
      !ask(library()->energy, device, &mj)) {
    return std::nullopt;
  }
  return static_cast<double>(mj) / 1000;
}

std::optional<double> sm_clock_mhz(const std::string& pci_bus_id) {
  Device device = nullptr;
  if (pci_bus_id.empty() || !library() || !ask(library()->by_bus, pci_bus_id.c_str(), &device)) {
    return std::nullopt;
  }
  return clock_of(library()->clock, device);
}

}  // namespace bfslab::nvml
