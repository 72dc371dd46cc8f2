// SPDX-License-Identifier: Apache-2.0
// The queues of CTAs, as kernels get them: frontier/decentralized.cuh, frontier/hierarchical.cuh.
#pragma once

#include <cstdint>

namespace bfslab::cuda {

// How many places of a CTA's queue are reserved before entries are written (DFQ, section IV.B,
// equation 1; docs/errata.md#dfq-equation-1).
enum class Reserve : std::uint8_t {
  exact,  // one for each entry, after its status was read
  warp,   // 32 before a warp reads 32 statuses: the paper's stride
  cta     // one for each thread of the CTA before it reads as many statuses: section V.E
};

struct SubQueuesView {
  std::uint32_t* entries = nullptr;  // [ctas * capacity] in global memory; null: in shared memory
  std::uint32_t capacity = 0;        // entries of a CTA's queue; at least 32, or the threads of a
                                     // CTA, if `reserve` is warp or cta
  Reserve reserve = Reserve::exact;  // decentralized queues
};

}  // namespace bfslab::cuda
