// xbfs's levels inside one cooperative kernel: `launch = persistent`.
#pragma once

#include <string>

#include "kernels/cuda/frontier/queues.cuh"
#include "kernels/cuda/xbfs_rules.hpp"

namespace bfslab::cuda {

struct PersistentXbfs {
  XbfsRules rules;
  CsrView outgoing, incoming;
  level_t* levels = nullptr;    // all kUnreached but the source's
  vertex_t* parents = nullptr;  // null: not asked for
  QueueView frontier[2];        // of even and of odd levels; the first holds the source
  QueueView bottom_up;
  std::uint32_t* bottom_up_queued = nullptr;  // [kDegreeClasses]
  const std::uint32_t* enterable = nullptr;
  const vertex_t* hubs = nullptr;  // null: no hub cache
  std::uint32_t hub_count = 0;
  LevelSlot* slots = nullptr;     // [kSlots] the first one is the source's
  std::uint32_t* sums = nullptr;  // [kDegreeClasses * kMostPersistentBlocks]
  std::uint64_t source_edges = 0;
};

inline constexpr unsigned kMostPersistentBlocks = 4096;

// One of the ten kernels, and how many of its blocks the GPU runs at once.
struct PersistentKernel {
  void (*kernel)(PersistentXbfs) = nullptr;
  unsigned blocks = 0;
  std::size_t shared_bytes = 0;
};

// `balance` as the toggle names it.
PersistentKernel persistent_kernel(const std::string& balance, bool async, bool hub_cache);
// Queues the kernel; all of the traversal is done when the stream gets past it.
void launch(const PersistentKernel& kernel, const PersistentXbfs& work, cudaStream_t stream);

}  // namespace bfslab::cuda
