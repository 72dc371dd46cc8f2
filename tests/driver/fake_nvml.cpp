// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1 of a made-up machine: two GPUs, of which the second has no applications clock.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct Memory {
  unsigned long long total, free, used;
};
constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kSm = 1;
int first = 0, second = 1;

int number_of(const void* device) { return *static_cast<const int*>(device); }

int put(const char* text, char* to, unsigned length) {
  std::snprintf(to, length, "%s", text);
  return kSuccess;
}

template <typename Take>
void each_line(const void* device, const Take& take) {
  const char* const path = std::getenv("FAKE_NVML_STATE");
  if (path == nullptr || number_of(device) != 1) return;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key, a, b;
    words >> key >> a >> b;
    take(key, a, b);
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlSystemGetDriverVersion(char* to, unsigned length) { return put("580.1", to, length); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return *version = 13010, kSuccess; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = 2, kSuccess; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 1) return kInvalidArgument;
  *device = index == 0 ? &first : &second;
  return kSuccess;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  const bool is_first = std::strcmp(bus, "0000:86:00.0") == 0;
  if (!is_first && std::strcmp(bus, "0000:3b:00.0") != 0) return kInvalidArgument;
  *device = is_first ? &first : &second;
  return kSuccess;
}
int nvmlDeviceGetName(void*, char* to, unsigned length) { return put("Made-up GPU", to, length); }
int nvmlDeviceGetUUID(void* device, char* to, unsigned length) {
  const char* const named = std::getenv("FAKE_NVML_UUID");
  if (named != nullptr && number_of(device) == 0) return put(named, to, length);
  return put(number_of(device) == 0 ? "GPU-0" : "GPU-1", to, length);
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  memory->used = memory->free = 0;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string& b) {
    if (key != "memory") return;
    memory->used = std::stoull(a);
    memory->free = std::stoull(b);
  });
  const char* const total = std::getenv("FAKE_NVML_MEMORY");
  memory->total = total != nullptr ? std::strtoull(total, nullptr, 10) : 7;
  return kSuccess;
}
// "pid 17 1000", "memory USED FREE", "busy 97", "slowed 64", "power 300000", "mig 1", "errors 2":
// lines of $FAKE_NVML_STATE, a file, about the second GPU, which is the tests' engine's; a pid
// "self" is the caller's.
struct Info {
  unsigned pid;
  unsigned long long used;
  unsigned instances[2];
};
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Info* processes) {
  unsigned found = 0;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string& b) {
    if (key != "pid" || found == *count) return;
    processes[found++] = {
        a == "self" ? static_cast<unsigned>(::getpid()) : static_cast<unsigned>(std::stoul(a)),
        std::stoull(b),
        {0, 0}};
  });
  *count = found;
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* pair) {
  pair[0] = pair[1] = 0;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string&) {
    if (key == "busy") pair[0] = static_cast<unsigned>(std::stoul(a));
  });
  return kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  *reasons = 1;  // idle
  each_line(device, [&](const std::string& key, const std::string& a, const std::string&) {
    if (key == "slowed") *reasons = std::stoull(a);
  });
  return kSuccess;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  return *mhz = 1000 + number_of(device), type == kSm ? kSuccess : kInvalidArgument;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, kSuccess; }
int nvmlDeviceGetApplicationsClock(void* device, int, unsigned* mhz) {
  return *mhz = 1755, number_of(device) == 0 ? kSuccess : kNotSupported;
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* mw) {
  *mw = 700'000;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string&) {
    if (key == "power") *mw = static_cast<unsigned>(std::stoul(a));
  });
  return kSuccess;
}
int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* mw) {
  return *mw = 700'000, kSuccess;
}
// With $FAKE_NVML_ENERGY the counter advances by 1 J in each call, that of the second GPU by 2 J.
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* mj) {
  static unsigned long long calls[2];
  if (std::getenv("FAKE_NVML_ENERGY") == nullptr) return kNotSupported;
  const int number = number_of(device);
  *mj = ++calls[number] * 1000 * static_cast<unsigned long long>(number + 1);
  return kSuccess;
}
int nvmlDeviceGetPersistenceMode(void*, unsigned* on) { return *on = 0, kSuccess; }
int nvmlDeviceGetEccMode(void*, unsigned* now, unsigned* later) {
  return *now = *later = 1, kSuccess;
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* later) {
  *now = *later = 0;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string&) {
    if (key == "mig") *now = static_cast<unsigned>(std::stoul(a));
  });
  return kSuccess;
}
int nvmlDeviceGetTotalEccErrors(void* device, int kind, int, unsigned long long* count) {
  *count = 0;
  each_line(device, [&](const std::string& key, const std::string& a, const std::string&) {
    if (key == "errors" && kind == 1) *count = std::stoull(a);
  });
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
