// SPDX-License-Identifier: Apache-2.0
// A search that is ready to run: its kernel with its grid, and the memory of its parts. An engine
// runs all levels by it (dfq) or single ones (xbfs).
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/virtual_vertices.hpp"
#include "kernels/cuda/top_down/kernels.hpp"
#include "kernels/cuda/top_down/settings.hpp"
#include "kernels/cuda/traversal/source.hpp"

namespace bfslab::cuda {

class PreparedTopDown {
 public:
  // Throws std::invalid_argument where there is no such kernel.
  explicit PreparedTopDown(const TopDownSettings& settings);

  // How many CTAs there are, and how much shared memory each asks for. Throws Unsupported where the
  // device has too little of it for the capacity, or runs fewer CTAs.
  void choose_grid();
  // All memory beside the graph, the answer and the slots, which `work` names, and where it makes
  // no queues, beside these. Throws OutOfDeviceMemory, and Unsupported where a graph has too many
  // edges for a list of candidates.
  void allocate(const CsrGraph& graph, const Traversal& work, bool makes_queues,
                const Stream& stream);

  // What the kernel is launched with; engines change copies of it.
  [[nodiscard]] const TopDown& search() const { return search_; }
  [[nodiscard]] const TopDownSettings& settings() const { return settings_; }
  void launch(const TopDown& search, LevelNumber first, level_t most, cudaStream_t stream) const {
    kernel_.launch(stream, search, first, most);
  }

  // The parts' share of the reset, and the place of the source at the beginning.
  struct ResetExtra {
    CandidatesView candidates;  // no entries: there are none
    std::uint32_t* overflow = nullptr;
    vertex_t vertices = 0;
#ifdef __CUDACC__
    __device__ void clear(std::size_t thread, std::size_t threads) const {
      if (candidates.entries != nullptr) candidates.clear(thread, threads, vertices);
    }
    __device__ void place(vertex_t source, LevelSlot& first) const {
      if (candidates.entries != nullptr) candidates.place(source, first);
      if (overflow != nullptr) *overflow = 0;
    }
#endif
  };
  [[nodiscard]] ResetExtra reset_extra() const {
    return {search_.collecting.candidates, search_.collecting.overflow, search_.outgoing.vertices};
  }
  [[nodiscard]] SourceIn source_in() const;

  // Whether a hierarchical queue may overflow: then its flag is fetched after the levels, and
  // throws Unsupported, when all of it is done, where it was raised.
  [[nodiscard]] bool may_overflow() const { return search_.hierarchical; }
  void fetch_overflow(cudaStream_t stream);
  void refuse_overflow() const;

  void add_memory(MemoryUse& use) const;

 private:
  void require_capacity() const;

  TopDownSettings settings_;
  CooperativeKernel<TopDown, LevelNumber, level_t> kernel_;
  VirtualVertices virtual_;
  WholeQueue queue_[2];
  Candidates candidates_;
  DeviceBuffer<vertex_t> sub_queues_;
  DeviceBuffer<std::uint32_t> words_;  // sums of blocks, and the overflow flag
  DegreeSums degree_sums_;
  PinnedBuffer<std::uint32_t> overflowed_{1};
  TopDown search_;
};

}  // namespace bfslab::cuda
