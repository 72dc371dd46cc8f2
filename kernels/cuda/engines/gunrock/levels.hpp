// SPDX-License-Identifier: Apache-2.0
// gunrock's decisions before a level (Wang et al., TOPC 2017, section 5.1.3, and Gunrock 1.x),
// which the host and the GPU make alike, and the arguments and the list of its level kernels.
#pragma once

#include "kernels/cuda/bottom_up/unvisited_list.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/frontier/collecting.hpp"
#include "kernels/cuda/traversal/progress.hpp"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

// Edges are estimated, not counted, so that no level has to sum degrees:
//   forward   those of the frontier, at the graph's mean degree,
//   backward  n unvisited / visited: the neighbours that the unvisited look at until each finds a
//             visited one.
// Pushing turns to pulling once per traversal, when forward > do_a backward, and back for good when
// forward <= do_b backward. The first level pushes.
struct GunrockRules {
  bool direction_optimised = true;
  double do_a = 0;
  double do_b = 0;
  double vertices = 0;
  double edges = 0;

  [[nodiscard]] BFSLAB_HOST_DEVICE bool pulls(const Progress& at) const {
    if (!direction_optimised || at.level == 0) return false;
    if (at.has_gone_up && !at.was_bottom_up) return false;
    const double forward = static_cast<double>(at.frontier) * edges / vertices;
    const auto visited = static_cast<double>(at.visited);
    const double backward = (vertices - visited) * vertices / visited;
    return forward > (at.was_bottom_up ? do_b : do_a) * backward;
  }
};

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
