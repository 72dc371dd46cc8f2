// SPDX-License-Identifier: Apache-2.0
// The search kernels that there are: one an expansion and kind of frontier, and the one that scans
// statuses.
#pragma once

#include "kernels/cuda/search/search.hpp"

namespace bfslab::cuda {

struct ExpansionKernels {
  const char* expand = "";              // as toggles name it
  SearchKernel materialised = nullptr;  // over a frontier that is there as a whole
  SearchKernel streamed = nullptr;      // over a streamed one; nullptr: it needs the whole
};

// Registers at program start (search/expansion.cu.in).
class RegisterExpansion {
 public:
  explicit RegisterExpansion(const ExpansionKernels& kernels);
};

// By the expansion's name; nullptr: no such pair. A virtual vertex (`virtual_split`) is a thread's
// work.
SearchKernel materialised_kernel(const char* expand);
SearchKernel streamed_kernel(const char* expand);
// Without queues (search/status_scan.cu).
SearchKernel scanning_kernel();

}  // namespace bfslab::cuda
