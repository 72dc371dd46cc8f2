// SPDX-License-Identifier: Apache-2.0
// The peak of this process's resident memory over a region, as counted by Linux.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace bfslab::bench {

// Bytes of "VmHWM:" or "VmRSS:" of /proc/self/status; 0 if there is no such file.
inline std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

class PeakMemory {
 public:
  // Resets the peak to what is resident now, so that the region's own is seen afterwards.
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
    before_ = status_bytes("VmRSS:");
  }
  // Returns the region's peak of resident memory minus what was resident when it began.
  [[nodiscard]] std::uint64_t bytes() const {
    const std::uint64_t peak = status_bytes("VmHWM:");
    return peak > before_ ? peak - before_ : 0;
  }

 private:
  std::uint64_t before_ = 0;
};

}  // namespace bfslab::bench
