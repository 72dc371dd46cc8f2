// SPDX-License-Identifier: Apache-2.0
// What the edge action of frontier/collector.cuh does, as values: the host chooses them.
#pragma once

#include <cstdint>

#include "kernels/cuda/frontier/candidates.hpp"

namespace bfslab::cuda {

// What becomes of the vertices that expansion finds.
enum class OnFound : std::uint8_t {
  marked,  // nothing more: a scan gathers them
  queued,  // they enter the next queue at once: scan-free
  listed   // they are candidates, duplicates among them: a filter queues them
};

struct Collecting {
  OnFound on_found = OnFound::marked;
  bool counts = false;  // claims whatever happens to what is found, and tells the next level's slot
                        // how many vertices were found and their out-degrees
  bool one_atomic_a_vertex = false;   // else one for the lanes of a warp that are there together
  std::uint32_t* overflow = nullptr;  // [1] set where a hierarchical queue was too short
  CandidatesView candidates;
};

}  // namespace bfslab::cuda
