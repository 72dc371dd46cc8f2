// SPDX-License-Identifier: Apache-2.0
// Arguments of gunrock's level kernels, and the list of these kernels.
#pragma once

#include "kernels/cuda/bottom_up/unvisited_list.hpp"
#include "kernels/cuda/engines/gunrock/rules.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/frontier/collecting.hpp"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

struct GunrockWork : Traversal {
  GunrockRules rules;
  Collecting collecting;  // listed and filtered (idempotent), or queued by claims
  ExpandScratch expansion;
  UnvisitedView unvisited;
};

// Runs levels at.level, at.level + 1, ... of a cooperative grid, `most` of them or until one has an
// empty frontier. The slot of a pulled level has its vertices, that of others its queue's entries.
using GunrockKernel = void (*)(GunrockWork, Progress at, level_t most);

inline constexpr unsigned kGunrockThreads = 512;  // per block; two blocks per multiprocessor

// Returns the kernel of an advance that gunrock offers; `counts`: levels count for a sink.
GunrockKernel gunrock_kernel(const ExpansionPart& advance, bool counts);

}  // namespace bfslab::cuda
