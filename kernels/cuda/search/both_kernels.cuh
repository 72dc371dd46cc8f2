// SPDX-License-Identifier: Apache-2.0
// The two search kernels of an expansion, for its registration.
#pragma once

#include <type_traits>

#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"
#include "kernels/cuda/search/streamed.cuh"

namespace bfslab::cuda {

template <Expansion Expand>
ExpansionKernels kernels_of(const char* name) {
  using Rows = std::conditional_t<Expand::kTakesShares, ItemRows, VertexRows>;
  ExpansionKernels kernels{.expand = name, .materialised = &materialised_search<Expand, Rows>};
  if constexpr (TakesAnyList<Expand>) kernels.streamed = &streamed_search<Expand, Rows>;
  return kernels;
}

}  // namespace bfslab::cuda
