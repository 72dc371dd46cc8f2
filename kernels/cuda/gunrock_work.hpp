// What gunrock's level kernels are given, and which there are.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cuda/gunrock_rules.hpp"
#include "kernels/cuda/search/search.hpp"

namespace bfslab::cuda {

// Lists, counts and bitmaps rotate: level l reads the first of the two or three and makes the next.
struct Unvisited {
  static constexpr unsigned kBitmaps = 3;

  CsrView incoming;
  vertex_t* list[2] = {};                  // [n] unvisited before even and before odd levels
  std::uint32_t* count = nullptr;          // [kSlots] entries of the lists
  std::uint32_t* frontier[kBitmaps] = {};  // [ceil(n / 32)] bit v: v is of the level
};

struct GunrockWork {
  Search
      search;  // collected by filter (idempotent) or scan_free, from a queue that holds the source
  GunrockRules rules;
  Unvisited unvisited;
};

// Runs levels at.level, at.level + 1, ... of a cooperative grid, `most` of them or until one has an
// empty frontier. slots[l % kSlots] says of a level that was pulled how many vertices it had, and
// of others how many entries its queue.
using GunrockKernel = void (*)(GunrockWork, GunrockProgress at, level_t most);

inline constexpr int kGunrockThreads = 512;  // of a block; two run on a multiprocessor at once

// By the advance as the toggle has it.
GunrockKernel gunrock_kernel(const std::string& advance);
// Queues the reset of everything that a traversal from `source` starts from.
void reset(const GunrockWork& work, vertex_t source, edge_t degree, cudaStream_t stream);

}  // namespace bfslab::cuda
