// SPDX-License-Identifier: Apache-2.0
// Where a traversal begins.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// The source as a kernel gets it: from the host that launches, or from memory that a CUDA graph
// reads it from.
struct SourceVertex {
  vertex_t given = 0;
  const vertex_t* kept = nullptr;

#ifdef __CUDACC__
  __device__ vertex_t get() const { return kept != nullptr ? *kept : given; }
#endif
};

// Whether it stands in the first level's queue from the beginning.
enum class SourceIn : std::uint8_t { no_queue, whole_queue, class_queue };

}  // namespace bfslab::cuda
