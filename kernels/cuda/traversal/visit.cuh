// SPDX-License-Identifier: Apache-2.0
// How a top-down level marks a neighbour: by an atomic claim that one thread wins, or by a plain
// write where any of several writers will do (XBFS, section 4.1, examples 1 and 2).
//
// Cost: one random status word an edge; a claim adds an atomic for each neighbour that is
// unvisited.
#pragma once

#include <cuda/atomic>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// Levels as threads of the running kernel write them: never through L1, never cached by the
// compiler (docs/errata.md#xbfs-memory-order).
__device__ inline level_t fresh_level(level_t* levels, vertex_t v) {
  return ::cuda::atomic_ref<level_t, ::cuda::thread_scope_device>(levels[v]).load(
      ::cuda::memory_order_relaxed);
}

struct Visit {
  StatusView status;
  level_t level = 0;  // that found vertices get

  // Bit j: whether vertex to[j] may still be found; kNoVertex never. All statuses are under way
  // before the first is looked at: tested one by one, each would be waited for.
  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    level_t at[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      at[j] = 0;
      if (to[j] != kNoVertex) at[j] = fresh_level(status.levels, to[j]);
    }
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) open |= (at[j] == kUnreached ? 1U : 0U) << j;
    return open;
  }

  // True for exactly one of all threads that name a v that was open.
  __device__ bool claim(vertex_t v, vertex_t parent) const {
    stress_pause();
    if (atomicCAS(&status.levels[v], kUnreached, level) != kUnreached) return false;
    stress_pause();
    if (status.parents != nullptr) status.parents[v] = parent;
    return true;
  }

  // Whoever comes last has written a right level and, of the same or another thread, a right
  // parent.
  __device__ void set(vertex_t v, vertex_t parent) const {
    ::cuda::atomic_ref<level_t, ::cuda::thread_scope_device>(status.levels[v])
        .store(level, ::cuda::memory_order_relaxed);
    if (status.parents == nullptr) return;
    stress_pause();
    ::cuda::atomic_ref<vertex_t, ::cuda::thread_scope_device>(status.parents[v])
        .store(parent, ::cuda::memory_order_relaxed);
  }
};

}  // namespace bfslab::cuda
