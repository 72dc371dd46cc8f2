// SPDX-License-Identifier: Apache-2.0
// The search kernels: one per expansion and kind of frontier, and the one that scans statuses.
#pragma once

#include <iterator>

#include "kernels/cuda/top_down/top_down.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

struct ExpansionKernels {
  TopDownKernel materialised = nullptr;  // over a frontier that exists as a whole
  TopDownKernel streamed = nullptr;      // over a streamed frontier; null: needs the whole
};

// One per row of kExpansions. The sources that CMake makes from top_down/expansion.cu.in fill it at
// program start; rows that run as another one stay empty.
inline constinit ExpansionKernels search_kernels[std::size(kExpansions)] = {};

inline const ExpansionKernels& kernels_of(const ExpansionPart& part) {
  const char* const runs_as = part.traits.runs_as;
  return search_kernels[row_of(kExpansions, runs_as == nullptr ? part.name : runs_as)];
}

// Returns the kernel without queues (top_down/status_scan.cu).
TopDownKernel scanning_kernel();

}  // namespace bfslab::cuda
