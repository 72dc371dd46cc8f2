// SPDX-License-Identifier: Apache-2.0
// Steps of an xbfs level as Enterprise takes them: the threads of a scan sort what they find into
// bins (`bins`), and each degree class has kernels and a stream of its own (`class_kernels`).
//
// The host waits where Enterprise's public code does: after the scan, after each class's prefix
// sum, after all bins are emptied and after all classes are expanded or have looked. So nothing
// that a stream does here needs to wait for another one, and `stream`, which the caller gives, is
// idle afterwards. Every grid is kBinBlocks blocks of kBinBlockThreads.
#pragma once

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/xbfs/work.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cuda {

class ClassSteps {
 public:
  // `vertices` of the graph if levels are gathered by bins, else 0. Throws OutOfDeviceMemory.
  void allocate(std::size_t vertices);
  void add_memory(MemoryUse& use) const;

  // Each returns how many kernels it launched; a prefix sum is two of CUB's.

  // The frontier `later` levels on, into its queue by out-degree. The next one is counted, too.
  unsigned queue_frontier(const XbfsWork& work, level_t level, unsigned later,
                          cudaStream_t stream) const;
  // The unvisited, by in-degree or as a whole, as the balance wants it. `in_runs`: sorted.
  unsigned queue_unvisited(const XbfsWork& work, bool in_runs, cudaStream_t stream) const;
  // A top-down level over its queue. `queues`: what it finds enters the next queue at once.
  unsigned expand(const XbfsWork& work, LevelNumber level, bool queues, cudaStream_t stream) const;
  // A bottom-up level over its queue, which is by in-degree. `counts`: entries that it reads.
  unsigned look(const XbfsWork& work, LevelNumber level, bool counts, cudaStream_t stream) const;

 private:
  unsigned empty_all_bins(const XbfsWork& work, int classes, const QueueView& queue,
                          std::uint32_t* queued) const;
  void wait_for_all() const;

  Stream streams_[kDegreeClasses];
  DeviceBuffer<vertex_t> bins_;  // [kDegreeClasses][kBinThreads][room_]
  std::uint32_t room_ = 0;
  DeviceBuffer<char> scratch_;  // of a prefix sum
};

}  // namespace bfslab::cuda
