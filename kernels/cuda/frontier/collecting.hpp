// SPDX-License-Identifier: Apache-2.0
// The run-time settings of the edge action of frontier/collector.cuh; the host chooses them.
#pragma once

#include <cstdint>

#include "kernels/cuda/frontier/candidates.hpp"

namespace bfslab::cuda {

// The action on the vertices that an expansion finds.
enum class OnFound : std::uint8_t {
  marked,  // nothing more: a scan gathers them
  queued,  // they enter the next queue at once: scan-free
  listed   // they become candidates, with duplicates: a filter queues them
};

struct Collecting {
  OnFound on_found = OnFound::marked;
  bool counts = false;  // claims in any case, and adds the vertices found and their out-degrees to
                        // the next level's slot
  bool one_atomic_a_vertex = false;   // else one for the active lanes of a warp
  std::uint32_t* overflow = nullptr;  // [1] set if a hierarchical queue was too short
  CandidatesView candidates;
};

}  // namespace bfslab::cuda
