// SPDX-License-Identifier: Apache-2.0
// The marking of a neighbour in a top-down level: by an atomic claim that one thread wins, or by a
// plain write where any of several writers is valid (XBFS, section 4.1, examples 1 and 2).
//
// Cost: one random status word per edge; a claim adds an atomic per unvisited neighbour.
#pragma once

#include <cuda/atomic>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// Reads a level that threads of the running kernel may write. The read bypasses L1, and the
// compiler never caches it (docs/errata.md#xbfs-memory-order).
__device__ inline level_t fresh_level(level_t* levels, vertex_t v) {
  return ::cuda::atomic_ref<level_t, ::cuda::thread_scope_device>(levels[v]).load(
      ::cuda::memory_order_relaxed);
}

struct Visit {
  StatusView status;
  level_t level = 0;  // for the vertices found

  // Returns, as bit j, whether vertex to[j] may still be found; kNoVertex never may. All statuses
  // are requested before the first is tested; otherwise each would be awaited in turn.
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

  // Returns true to exactly one of all threads that name an open v.
  __device__ bool claim(vertex_t v, vertex_t parent) const {
    stress_pause();
    if (atomicCAS(&status.levels[v], kUnreached, level) != kUnreached) return false;
    stress_pause();
    if (status.parents != nullptr) status.parents[v] = parent;
    return true;
  }

  // The last writer has written a valid level, and it or another thread a valid parent.
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
