// SPDX-License-Identifier: Apache-2.0
// The arguments of a top-down kernel: a traversal, the frontier to make and the expansion to share
// it out. Any frontier works with any expansion of its kind (expand/expansion.cuh). Values in here
// choose the frontier and the launched kernel is the expansion's, so that there is one kernel per
// expansion and not per pair.
#pragma once

#include <cstdint>

#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/frontier/collecting.hpp"
#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// The ways to make a level's queue before it is expanded.
enum class Gather : std::uint8_t {
  nothing,      // the level before has queued it
  single_scan,  // by a scan of all statuses and atomics
  prefix_sum,   // by two scans and a prefix sum
  filter        // of candidates that the level before has listed
};

struct TopDown : Traversal {
  Items items;
  Gather gather = Gather::single_scan;
  Collecting collecting;
  bool hierarchical = false;  // queues pass through a block's queue in shared memory
  ExpandScratch expansion;
  std::uint32_t* sums = nullptr;  // [kDegreeClasses * blocks] of prefix sums
  SubQueuesView sub_queues;       // streamed and hierarchical frontiers

#ifdef __CUDACC__
  // Levels count atomics, drains and blocks in their slots.
  [[nodiscard]] __device__ bool counts_queues() const {
    return collecting.counts || log.head != nullptr;
  }
#endif
};

// Runs levels first, first + 1, ... of a cooperative grid, `most` of them or until one has an empty
// frontier. The slot of level l has its number of vertices, or of queue entries.
using TopDownKernel = void (*)(TopDown, LevelNumber first, level_t most);

}  // namespace bfslab::cuda
