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
  std::uint64_t shared_bytes_of_block = 0;  // maximum that a kernel may request
};

// Returns the facts of the current device, queried once. Throws InputError if there is no usable
// GPU; engines call it before anything else, so that a row reports this.
const DeviceFacts& device();

}  // namespace bfslab::cuda
