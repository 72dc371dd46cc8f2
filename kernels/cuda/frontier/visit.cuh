// How a top-down level marks a neighbour: with an atomic claim that one thread wins, or by a plain
// write where any of several writers will do (papers/xbfs.txt section 4.1, examples 1 and 2).
//
// Cost: one random status word an edge; a claim adds an atomic for each neighbour that is
// unvisited.
#pragma once

#include <cuda/atomic>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/stress.cuh"

namespace bfslab::cuda {

// Levels as threads of the running kernel write them: never through L1, never cached by the
// compiler (errata, "Memory ordering").
__device__ inline level_t fresh_level(level_t* levels, vertex_t v) {
  return ::cuda::atomic_ref<level_t, ::cuda::thread_scope_device>(levels[v]).load(
      ::cuda::memory_order_relaxed);
}

struct Visit {
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;  // null: not asked for
  level_t level = 0;            // that found vertices get

  // True for exactly one of all threads that name an unvisited v.
  __device__ bool claim(vertex_t v, vertex_t parent) const {
    if (fresh_level(levels, v) != kUnreached) return false;
    stress_pause();
    if (atomicCAS(&levels[v], kUnreached, level) != kUnreached) return false;
    stress_pause();
    if (parents != nullptr) parents[v] = parent;
    return true;
  }

  // Whoever comes last has written a right level and, of the same or another thread, a right
  // parent.
  __device__ void mark(vertex_t v, vertex_t parent) const {
    if (fresh_level(levels, v) != kUnreached) return;
    stress_pause();
    set(v, parent);
  }

  __device__ void set(vertex_t v, vertex_t parent) const {
    ::cuda::atomic_ref<level_t, ::cuda::thread_scope_device>(levels[v]).store(
        level, ::cuda::memory_order_relaxed);
    if (parents == nullptr) return;
    stress_pause();
    ::cuda::atomic_ref<vertex_t, ::cuda::thread_scope_device>(parents[v])
        .store(parent, ::cuda::memory_order_relaxed);
  }
};

}  // namespace bfslab::cuda
