// SPDX-License-Identifier: Apache-2.0
#include "kernels/count/resident_peak.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace bfslab {

namespace {

// Returns a line of /proc/self/status, in bytes; 0 if there is none.
std::uint64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

// "5" sets VmHWM to what is resident now (proc(5), since Linux 4.0).
bool set_mark_back() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

ResidentPeak::ResidentPeak() {
  malloc_trim(0);
  known_ = set_mark_back();
  start_ = status_bytes("VmRSS:");
  // A kernel that accepts the 5 and does nothing is detected by a mark far above what is resident.
  // (The counters are kept per CPU and may lag by some pages.)
  constexpr std::uint64_t kSlack = std::uint64_t{8} << 20;
  const std::uint64_t mark = status_bytes("VmHWM:");
  known_ = known_ && start_ > 0 && mark > 0 && mark <= start_ + kSlack;
}

std::uint64_t ResidentPeak::risen() const {
  if (!known_) return 0;
  const std::uint64_t mark = status_bytes("VmHWM:");
  return mark > start_ ? mark - start_ : 0;
}

}  // namespace bfslab
