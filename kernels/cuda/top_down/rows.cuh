// SPDX-License-Identifier: Apache-2.0
// Maps the entries of a search's queues to edges.
#pragma once

#include <type_traits>

#include "kernels/cuda/top_down/top_down.hpp"
#include "kernels/cuda/traversal/edges.cuh"

namespace bfslab::cuda {

template <typename Rows>
__device__ Rows rows_of(const TopDown& search) {
  if constexpr (std::is_same_v<Rows, ItemRows>) {
    return {search.outgoing, search.items};
  } else {
    return {search.outgoing};
  }
}

}  // namespace bfslab::cuda
