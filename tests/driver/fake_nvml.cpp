// libnvidia-ml.so.1 of a made-up machine: two GPUs, of which the second has no applications clock.
#include <cstdio>
#include <cstdlib>
#include <cstring>

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
  if (std::strcmp(bus, "0000:3b:00.0") != 0) return kInvalidArgument;
  *device = &second;
  return kSuccess;
}
int nvmlDeviceGetName(void*, char* to, unsigned length) { return put("Made-up GPU", to, length); }
int nvmlDeviceGetUUID(void* device, char* to, unsigned length) {
  return put(number_of(device) == 0 ? "GPU-0" : "GPU-1", to, length);
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  const char* const total = std::getenv("FAKE_NVML_MEMORY");
  memory->total = total != nullptr ? std::strtoull(total, nullptr, 10) : 7;
  return kSuccess;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  return *mhz = 1000 + number_of(device), type == kSm ? kSuccess : kInvalidArgument;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* mhz) { return *mhz = 1980, kSuccess; }
int nvmlDeviceGetApplicationsClock(void* device, int, unsigned* mhz) {
  return *mhz = 1755, number_of(device) == 0 ? kSuccess : kNotSupported;
}

}  // extern "C"
#pragma GCC visibility pop
