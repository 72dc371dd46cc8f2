// SPDX-License-Identifier: Apache-2.0
// The source of a traversal.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// The source as a kernel gets it: from the launching host, or from memory that a CUDA graph reads.
struct SourceVertex {
  vertex_t given = 0;
  const vertex_t* kept = nullptr;

#ifdef __CUDACC__
  __device__ vertex_t get() const { return kept != nullptr ? *kept : given; }
#endif
};

// The first level's queue that holds the source from the beginning.
enum class SourceIn : std::uint8_t { no_queue, whole_queue, class_queue };

}  // namespace bfslab::cuda
