// SPDX-License-Identifier: Apache-2.0
// The kernel of `fused`: a search in one launch, or some levels for a host that reports them.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/engines/fused/answer_map.cuh"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// Arguments: the work; the progress, for FusedStart::level; the start; the maximum of levels.
template <typename Offset>
using FusedKernel = CooperativeKernel<FusedWork<Offset>, Progress, FusedStart, level_t>;

// Several searches in one launch, one after the other.
struct FusedSearches {
  const vertex_t* sources = nullptr;  // [count] as given
  std::uint32_t count = 0;
  AnswerMap map;
  bool maps_in_time = false;
  StatusView kept;                         // [count][map.vertices], the answers
  unsigned long long* times_ns = nullptr;  // [count][2] when each began and ended, device_ns()
};
template <typename Offset>
using FusedSearchesKernel = CooperativeKernel<FusedWork<Offset>, FusedSearches>;

// The sizes of a graph's parts in the kernels' shared memory.
struct FusedShape {
  unsigned packed = 0;          // FusedRules::packed
  std::uint32_t cut_words = 0;  // CutRows::max_words
};

// Returns how many words of a range's bits a block has room for here, at most kMaxCutWords.
std::uint32_t max_cut_words_here();

// Returns the largest number of neighbours in a packed row for which a frontier with its rows fits
// in a block's shared memory here: 16, 12 or 4.
unsigned max_packed_here();

// The kernels for offsets of one width.
template <typename Offset>
struct FusedKernels {
  // `hot_words`: the words of the frontier's bits that a block keeps in shared memory; reduced to
  // what the device has room for. `counts`: whether to count the edges that bottom-up checks, and
  // those of its finds.
  static FusedKernel<Offset> search(std::uint32_t& hot_words, const FusedShape& shape, bool counts);
  static FusedSearchesKernel<Offset> searches(std::uint32_t& hot_words, const FusedShape& shape);

  // Runs levels from the source on in one cluster of blocks, while they are small (cluster.cuh).
  // The kernel resumes after it. Devices have clusters from compute capability 9 on.
  static bool cluster_runs_here(unsigned packed);
  static void launch_cluster(const FusedWork<Offset>& work, cudaStream_t stream);
};

}  // namespace bfslab::cuda
