// SPDX-License-Identifier: Apache-2.0
// The GPU that this process uses.
#pragma once

#include <cstdint>
#include <string>

namespace bfslab::cuda {

struct DeviceFacts {
  std::string name;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t shared_bytes_of_block = 0;  // that a kernel may ask for
};

// The current device's, asked for once. Throws InputError where there is no usable GPU: engines
// call it before anything else, so that a row says so.
const DeviceFacts& device();

}  // namespace bfslab::cuda
