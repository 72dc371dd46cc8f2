// The answer that an engine keeps in the GPU's memory, as the harness is shown it.
#pragma once

#include "kernels/cuda/device/memory.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cuda {

// `levels` and `parents`: [vertices], or empty where that half was not asked for; an engine that
// keeps levels for itself shows them only where they were.
inline AnswerView answer_on_device(Answer asked, vertex_t vertices,
                                   const DeviceBuffer<level_t>& levels,
                                   const DeviceBuffer<vertex_t>& parents) {
  int device = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  return in_one_part({.space = MemorySpace::device,
                      .vertex_count = vertices,
                      .levels = wants_levels(asked) ? levels.data() : nullptr,
                      .parents = wants_parents(asked) ? parents.data() : nullptr,
                      .device = device});
}

}  // namespace bfslab::cuda
