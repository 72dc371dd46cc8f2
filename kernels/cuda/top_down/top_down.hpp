// SPDX-License-Identifier: Apache-2.0
// The arguments of a top-down kernel: a traversal, one frontier to be made and one expansion to
// share it out. Any frontier goes with any expansion of its kind (expand/expansion.cuh); the
// frontier is chosen by values in here, the expansion by which kernel is launched, so that there
// are as many kernels as expansions and not their product.
#pragma once

#include <cstdint>

#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/frontier/collecting.hpp"
#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// How a level's queue is made before it is expanded.
enum class Gather : std::uint8_t {
  nothing,      // the level before has queued it
  single_scan,  // by a scan of all statuses and atomics
  prefix_sum,   // by two scans and a prefix sum
  filter        // of candidates, which the level before has listed
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
// frontier. The slot of level l says how many vertices it had, or entries of a queue.
using TopDownKernel = void (*)(TopDown, LevelNumber first, level_t most);

}  // namespace bfslab::cuda
