// SPDX-License-Identifier: Apache-2.0
// The memory of the queues of CTAs (frontier/decentralized.cuh, frontier/hierarchical.cuh).
#pragma once

#include <cstdint>

namespace bfslab::cuda {

struct SubQueuesView {
  std::uint32_t* entries = nullptr;  // [ctas * capacity] in global memory; null: in shared memory
  std::uint32_t capacity = 0;        // entries of a CTA's queue
};

}  // namespace bfslab::cuda
