// SPDX-License-Identifier: Apache-2.0
// A search that is ready to run: its kernel, its grid, and the memory of its parts. An engine runs
// all levels by it (dfq) or single ones (xbfs).
#pragma once

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/virtual_vertices.hpp"
#include "kernels/cuda/top_down/kernels.hpp"
#include "kernels/cuda/top_down/settings.hpp"
#include "kernels/cuda/traversal/source.hpp"

namespace bfslab::cuda {

class PreparedTopDown {
 public:
  // Throws std::invalid_argument if there is no such kernel.
  explicit PreparedTopDown(const TopDownSettings& settings);

  // Chooses the number of CTAs and the shared memory of each. Throws Unsupported if the device has
  // too little shared memory for the capacity, or runs fewer CTAs.
  void choose_grid();
  // Allocates all memory beside the graph, the answer and the slots, which `work` names. Without
  // `makes_queues` the queues are those of `work`, too. Throws OutOfDeviceMemory, and Unsupported
  // if a graph has too many edges for a list of candidates.
  void allocate(const CsrGraph& graph, const Traversal& work, bool makes_queues,
                const Stream& stream);

  // The kernel's arguments; engines change copies of them.
  [[nodiscard]] const TopDown& search() const { return search_; }
  [[nodiscard]] const TopDownSettings& settings() const { return settings_; }
  void launch(const TopDown& search, LevelNumber first, level_t most, cudaStream_t stream) const {
    kernel_.launch(stream, search, first, most);
  }

  // The parts' share of the reset, and the initial place of the source.
  struct ResetExtra {
    CandidatesView candidates;  // no entries: no candidates
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

  // Returns whether a hierarchical queue may overflow. If so, fetch_overflow() fetches the flag
  // after the levels. When all work is done, refuse_overflow() throws Unsupported if it is set.
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
