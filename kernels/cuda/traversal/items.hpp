// SPDX-License-Identifier: Apache-2.0
// The items by which statuses are scanned and queued: vertices, or virtual ones, each a share of a
// vertex's edges (Tigr: Nodehi Sabet et al., ASPLOS 2018; expand/virtual_vertices.hpp makes them).
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

struct Items {
  std::uint32_t count = 0;
  const vertex_t* vertex = nullptr;      // [count] null: item i is vertex i
  const std::uint32_t* first = nullptr;  // [n + 1] where a vertex's items begin
  std::uint32_t split = 0;               // most edges of an item
  bool strided = false;   // items of a vertex take turns at its edges, so that neighbours in a warp
                          // read neighbouring edges; false: each takes a run of them
  bool by_block = false;  // a scan gives each block whole ranges of blockDim.x ids, in turns (DFQ,
                          // section V.B); false: neighbouring runs of four go to different blocks
};

}  // namespace bfslab::cuda
