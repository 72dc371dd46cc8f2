// SPDX-License-Identifier: Apache-2.0
// The tables of a tuple generator in a block's shared memory, 10 KiB.
#pragma once

#include <cstdint>

#include "datasets/generate/quadrant_tuples.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kFullSlots = 1024;  // five levels per draw
inline constexpr unsigned kRestSlots = 256;   // one to four

#ifdef __CUDACC__

struct TupleTables {
  std::uint64_t full[kFullSlots];
  std::uint64_t rest[kRestSlots];

  // Copies the tables of `tuples`, which then reads them here. Called by all threads of the block.
  __device__ void take_from(QuadrantTuples& tuples) {
    const auto copy = [](std::uint64_t* to, AliasView& table) {
      for (unsigned slot = threadIdx.x; slot < table.size(); slot += blockDim.x) {
        to[slot] = table.slots[slot];
      }
      table.slots = to;
    };
    copy(full, tuples.descent.full.table);
    copy(rest, tuples.descent.rest.table);
    __syncthreads();
  }
};

#endif

}  // namespace bfslab::cuda
