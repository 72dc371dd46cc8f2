// SPDX-License-Identifier: Apache-2.0
// Errors of a GPU, in plain C++: thrown by kernels/cuda, distinguished by the harness.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

namespace bfslab {

// A failed CUDA call. The message names the call, the file and line, and CUDA's own error text.
class DeviceError : public std::runtime_error {
 public:
  explicit DeviceError(const std::string& message) : std::runtime_error(message) {}
};

// The GPU has too little memory left: recorded as a row `oom`, not as a fault.
class OutOfDeviceMemory : public std::bad_alloc {
 public:
  OutOfDeviceMemory(std::uint64_t wanted, std::uint64_t free, std::uint64_t total)
      : wanted_(wanted),
        free_(free),
        message_("out of GPU memory: " + std::to_string(wanted) + " bytes requested, " +
                 std::to_string(free) + " of " + std::to_string(total) + " free") {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] std::uint64_t wanted_bytes() const { return wanted_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return free_; }

 private:
  std::uint64_t wanted_, free_;
  std::string message_;
};

}  // namespace bfslab
